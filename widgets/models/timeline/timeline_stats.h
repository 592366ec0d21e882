// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of a part of the run, by phase or collective and by rank, from all that the store has of it.
//
// A span that reaches over an edge of the part counts with what lies inside. Of steps whose single spans were thinned
// the sums of each step count: as one value per phase and step, at an edge in proportion.
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
    std::string family;                              ///< of a wait: the tag without its detail; empty: other ones
    int rank = kAllRanks;
    std::int64_t count = 0, sumNs = 0, meanNs = 0, medianNs = 0, p95Ns = 0, maxNs = 0;
    double share = 0; ///< of the part's time, of all its ranks where it is of all
    /// The longest one: `longestRank` -1 where no single span is known.
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
    std::vector<StatsRow> rows; ///< dearest kind first, of a kind all ranks together first
    QString error;
};
using TimelineStatsPtr = std::shared_ptr<const TimelineStats>;

/// Blocks: for worker threads. `progress` gets 0 … 1 now and then and says whether to go on: false ends it with Busy.
Result<TimelineStats> readStats(store::RunReader& run, const StatsRequest& request,
                                const std::function<bool(double)>& progress);
/// The same from a reader of its own; `progress` is told at most 20 times a second, and the reply says what failed.
TimelineStatsPtr loadStats(const StatsRequest& request, const std::function<bool()>& cancelled,
                           const std::function<void(double)>& progress);

} // namespace rankscope::ui
