// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace rankscope {

/// Reads a whole file; refuses more than `limit` bytes (sizes of foreign files are never trusted). Links are followed;
/// anything but a regular file is refused, except a shell's <(…) and standard input. For a file in a run's folder use
/// readRunFile().
Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = 64u << 20);
/// Reads `fd` to its end, at most `limit` bytes; `path` is for messages.
Result<std::string> readAll(int fd, std::size_t limit, const std::filesystem::path& path);

struct RegularFile {
    UniqueFd fd;
    std::uint64_t bytes = 0; ///< when it was opened
};

/// Opens a file for reading. A folder, FIFO or device is an error; a FIFO does not hang the caller. Links are followed.
Result<RegularFile> openRegularFile(const std::filesystem::path& path);

/// Creates a folder and its missing parents with mode 0700, as mkdir -p does.
Result<void> makePrivateDirs(const std::filesystem::path& path);

/// Returns the entries of a folder, in no particular order. Unlike a loop over a directory_iterator, it never throws.
/// If the folder cannot be read to its end (a file server is gone), `ec` is set and the entries read so far are
/// returned.
std::vector<std::filesystem::directory_entry> entriesOf(const std::filesystem::path& folder, std::error_code& ec);

} // namespace rankscope
