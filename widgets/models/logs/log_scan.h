// SPDX-License-Identifier: GPL-3.0-or-later
// Searches all of a run's logs for lines a filter keeps, whatever their size. It works block by block and never parses
// lines that cannot match. Plain code, to be run in a separate thread.
#pragma once

#include "core/launch/run/run_info.h"
#include "widgets/models/logs/log_line.h"

#include <atomic>
#include <functional>
#include <vector>

namespace rankscope::ui {

/// One file of a run's log.
struct LogSource {
    std::filesystem::path path;
    int rank = -1; ///< -1: the supervisor's; or kCommandLog
    /// Returns the depth of the file's folder in the run's folder.
    GuardedFolder::Depth depth() const { return rank < 0 ? GuardedFolder::Run : GuardedFolder::Rank; }
};

/// Returns the sources of a run: the supervisor, the command, and then the ranks. Not all of the files need to exist.
std::vector<LogSource> logSources(const launch::RunPaths& run, int worldSize);
/// Returns the index in these sources.
constexpr std::int32_t sourceOf(int rank) {
    return rank == kCommandLog ? 1 : rank < 0 ? 0 : rank + 2;
}

struct LogMatch {
    std::int64_t timeMs = 0, offset = 0;
    std::int32_t file = 0; ///< index in the sources
    bool operator<(const LogMatch& other) const { return timeMs < other.timeMs; }
};

struct LogScanState {
    std::atomic<std::int64_t> bytes{0}, matches{0};
    std::atomic<std::int64_t> givenUp{0}; ///< lines on which the pattern took too many steps
    std::atomic<bool> cancelled{false};
};

struct LogScanResult {
    std::vector<LogMatch> matches;  ///< by time, those of one file in order; empty if there are too many to keep
    std::vector<std::int64_t> ends; ///< by source: offset up to which it was read
    std::int64_t count = 0, givenUp = 0, bytes = 0, total = 0;
    bool whole = false;   ///< not cancelled
    bool tooMany = false; ///< more than kMostMatches: they are only counted, and found again on demand
};

inline constexpr std::int64_t kMostMatches = 1'000'000;
inline constexpr int kScanSteps = 50'000; ///< of a pattern on one line

/// Searches the logs. `dayMs`: any moment of the day that a time without a date belongs to.
LogScanResult scanLogs(const std::vector<LogSource>& sources, const LogFilter& filter, std::int64_t dayMs,
                       LogScanState& state);

} // namespace rankscope::ui
