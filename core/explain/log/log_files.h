// SPDX-License-Identifier: Apache-2.0
// Logs as files, folders and pipes.
#pragma once

#include "core/base/values/error.h"
#include "core/explain/model/hang_evidence.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

struct ReadLogsOptions {
    /// Receives the bytes read so far of all files, and of how many; returns false to cancel. The number of all is 0 as
    /// long as a pipe is read. May be null.
    std::function<bool(std::int64_t done, std::int64_t all)> progress;
    std::filesystem::path below =
        {}; ///< files are named by their paths below this folder; empty: as the user named them
};

struct ReadLogs {
    struct Dump {
        std::filesystem::path path;
        std::string name; ///< as the user named it, or below the folder that the user named
        std::int64_t bytes = 0;
    };
    HangEvidence evidence;
    std::int64_t done = 0, all = 0; ///< bytes read, and of all files with the dumps
    std::vector<Dump> dumps;        ///< Flight Recorder dumps by their contents, not read
};

/// Reads logs and finds dumps. A folder is walked, at most 8 deep and 4,096 files; links that leave it are not
/// followed, and files that are no text are skipped. `paths` may name pipes and /dev/stdin. A file that cannot be read
/// gives an InputFile with a problem; an error (Busy) is returned only if it is cancelled.
Result<ReadLogs> readLogs(const std::vector<std::filesystem::path>& paths, const ReadLogsOptions& options = {});

/// Returns whether a file that begins with these bytes is a Flight Recorder dump: a pickle of protocol 2 or later, or
/// JSON with "entries".
bool looksLikeDump(std::string_view beginning);

/// Returns the rank that a file is of by its name: "rank_3.log", "log.3.txt", "attempt_0/3/stderr.log" of torchrun; -1:
/// its name does not say one.
int rankOfFileName(const std::filesystem::path& path);

} // namespace rankscope::explain
