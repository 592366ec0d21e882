// SPDX-License-Identifier: Apache-2.0
// RUN/lock: who holds it is the run's one writer. The kernel lets go of it when the holder dies, however it dies.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <filesystem>

namespace rankscope::launch {

class RunLock {
public:
    enum class Holder {
        Nobody,
        Supervisor,
        Recovery, ///< somebody brings a run up to date whose supervisor is gone
        Unknown,  ///< the file may not be opened, or its file system has no locks
    };
    /// Busy when another process has it.
    static Result<RunLock> take(const std::filesystem::path& lockFile);
    /// Who has it now. The caller's own lock is one like any other's.
    static Holder holder(const std::filesystem::path& lockFile);

    /// Says in the file that this holder is no supervisor.
    void markRecovery() const;

private:
    explicit RunLock(UniqueFd fd) : m_fd(std::move(fd)) {}
    UniqueFd m_fd;
};

} // namespace rankscope::launch
