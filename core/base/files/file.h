// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

/// Owns a file descriptor.
class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : m_fd(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept;
    ~UniqueFd() { reset(); }

    int get() const { return m_fd; }
    explicit operator bool() const { return m_fd >= 0; }
    int release() { return std::exchange(m_fd, -1); }
    void reset();

private:
    int m_fd = -1;
};

/// A whole file; refuses more than `limit` bytes (sizes of foreign files are never trusted). Links are followed; what
/// is no regular file is refused, but for a shell's <(…) and standard input. For a file in a run's folder:
/// readRunFile().
Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = 64u << 20);
/// The rest of what is open as `fd`; `path` is for messages.
Result<std::string> readAll(int fd, std::size_t limit, const std::filesystem::path& path);

/// Written beside `path` under an unpredictable name, synced, renamed over it: readers see the old or the new text.
/// An existing file keeps its mode; a new one gets `mode`.
Result<void> writeFileAtomic(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0600);

/// mkdir -p with mode 0700 for what is created.
Result<void> makePrivateDirs(const std::filesystem::path& path);

} // namespace rankscope
