// SPDX-License-Identifier: GPL-3.0-or-later
// Computes statistics of a part of the run, by phase or collective and by rank, from everything the store has on it.
//
// A span that crosses an edge of the part counts with the portion inside. If the single spans of steps were thinned,
// the sums of each step count: one value per phase and step, in proportion at an edge.
#pragma once

#include "core/base/values/error.h"
#include "widgets/models/timeline/timeline_data.h"

#include <functional>

namespace rankscope::ui {

struct StatsRequest {
    std::filesystem::path store;
    std::int64_t fromNs = 0, toNs = 0; ///< since the run's start
    friend bool operator==(const StatsRequest&, const StatsRequest&) = default;
};

struct StatsRow {
    static constexpr int kAllRanks = -1;

    bool wait = false;                               ///< waits in a collective; else a phase
    telemetry::Phase phase = telemetry::Phase::None; ///< of a phase
    std::string family;                              ///< of a wait: the tag without its detail; empty: other waits
    int rank = kAllRanks;
    std::int64_t count = 0, sumNs = 0, meanNs = 0, medianNs = 0, p95Ns = 0, maxNs = 0;
    double share = 0; ///< of the part's time; for all ranks together, of the time of all ranks
    /// The longest one; `longestRank` is -1 if no single span is known.
    int longestRank = -1;
    TimelineSpan longest;
    std::string longestTag;

    bool sameKind(const StatsRow& other) const {
        return wait == other.wait && phase == other.phase && family == other.family;
    }
};

struct TimelineStats {
    StatsRequest request;
    std::int64_t steps = 0;       ///< that touch the part
    std::int64_t summedSteps = 0; ///< of these, without single spans
    int ranks = 0;
    std::vector<StatsRow> rows; ///< kinds by descending total time; within a kind, all ranks together first
    QString error;
};
using TimelineStatsPtr = std::shared_ptr<const TimelineStats>;

/// Reads the statistics. Blocks, so call it in worker threads. `progress` gets 0 … 1 and returns whether to continue:
/// false ends it with Busy.
Result<TimelineStats> readStats(store::RunReader& run, const StatsRequest& request,
                                const std::function<bool(double)>& progress);
/// The same with its own reader; `progress` is called at most 20 times a second, and the reply says what failed.
TimelineStatsPtr loadStats(const StatsRequest& request, const std::function<bool()>& cancelled,
                           const std::function<void(double)>& progress);

} // namespace rankscope::ui
