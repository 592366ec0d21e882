// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace rankscope::ctl {

/// Lets the background process report to the foreground whether it started. Exactly one of started() and failed() is
/// called.
class Handshake {
public:
    explicit Handshake(UniqueFd fd) : m_fd(std::move(fd)) {}
    /// From here on stdout and stderr go to `log`, and the foreground returns.
    void started(const std::filesystem::path& log);
    void failed(const Error& error);
    bool done() const { return !m_fd; }

private:
    UniqueFd m_fd;
};

/// Runs `work` in a process of its own, in a session of its own, with the same working folder. In the foreground:
/// returns when the background has started, or with the Error that it failed with. In the background: never returns.
Result<void> detach(const std::function<int(Handshake&)>& work);

} // namespace rankscope::ctl
