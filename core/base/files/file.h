// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rankscope {

/// A whole file; refuses more than `limit` bytes (sizes of foreign files are never trusted). Links are followed; what
/// is no regular file is refused, but for a shell's <(…) and standard input. For a file in a run's folder:
/// readRunFile().
Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = 64u << 20);
/// The rest of what is open as `fd`; `path` is for messages.
Result<std::string> readAll(int fd, std::size_t limit, const std::filesystem::path& path);

struct RegularFile {
    UniqueFd fd;
    std::uint64_t bytes = 0; ///< when it was opened
};

/// Opens to read. A folder, FIFO or device is an error; a FIFO does not hang the caller. Links are followed.
Result<RegularFile> openRegularFile(const std::filesystem::path& path);

/// Written beside `path` under an unpredictable name, synced, renamed over it: readers see the old or the new text.
/// An existing file keeps its mode; a new one gets `mode`.
Result<void> writeFileAtomic(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0600);

/// mkdir -p with mode 0700 for what is created.
Result<void> makePrivateDirs(const std::filesystem::path& path);

/// Returns the entries of a folder, in no order. It never throws, as a loop over a directory_iterator does when one of
/// its steps fails (a file server that is gone): then `ec` is set, and what was read so far is returned.
std::vector<std::filesystem::directory_entry> entriesOf(const std::filesystem::path& folder, std::error_code& ec);

} // namespace rankscope
