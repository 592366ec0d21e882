// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for what a filter keeps in all of a run's logs, whatever their size: block by block, and what cannot match is
// never made into a line. Plain code for a thread of its own.
#pragma once

#include "widgets/models/logs/log_line.h"

#include <atomic>
#include <functional>
#include <vector>

namespace rankscope::ui {

/// One file of a run's log.
struct LogSource {
    std::filesystem::path path;
    int rank = -1; ///< -1: the supervisor's
    /// Of its folder in the run's.
    GuardedFolder::Depth depth() const { return rank < 0 ? GuardedFolder::Run : GuardedFolder::Rank; }
};

struct LogMatch {
    std::int64_t timeMs = 0, offset = 0;
    std::int32_t file = 0; ///< of the sources
    bool operator<(const LogMatch& other) const { return timeMs < other.timeMs; }
};

struct LogScanState {
    std::atomic<std::int64_t> bytes{0}, matches{0};
    std::atomic<std::int64_t> givenUp{0}; ///< lines on which the pattern took too many steps
    std::atomic<bool> cancelled{false};
};

struct LogScanResult {
    std::vector<LogMatch> matches;  ///< by time, of one file in its order; empty when there are too many to keep
    std::vector<std::int64_t> ends; ///< by source: where it was read to
    std::int64_t count = 0, givenUp = 0, bytes = 0, total = 0;
    bool whole = false;   ///< not cancelled
    bool tooMany = false; ///< more than kMostMatches: they are counted, and found again where they are looked at
};

inline constexpr std::int64_t kMostMatches = 1'000'000;
inline constexpr int kScanSteps = 50'000; ///< of a pattern on one line

/// `dayMs`: any moment of the day that a bare time of day belongs to.
LogScanResult scanLogs(const std::vector<LogSource>& sources, const LogFilter& filter, std::int64_t dayMs,
                       LogScanState& state);

} // namespace rankscope::ui
