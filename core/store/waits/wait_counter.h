// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/wait_times.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/metrics.h"
#include "core/telemetry/format/limits.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace rankscope::store {

/// The holder, tag and metric that a rank's wait in one collective is charged to.
struct WaitCharge {
    int holder = 0;
    int tag = 0;                       ///< the tag in the collective's row
    Metric metric = Metric::WaitOther; ///< waitMetric() of the tag
    std::int64_t countedNs = -1;       ///< part of the wait counted so far; -1: the wait is new
};

/// Single waits of a rank in a step. The two lists are parallel.
struct StepWaits {
    static constexpr std::size_t kUsual = 16;
    std::vector<diagnosis::RankWait> waits; ///< times since the run's start
    std::vector<WaitCharge> charges;

    void add(const diagnosis::RankWait& wait, const WaitCharge& charge) {
        if (waits.empty()) {
            waits.reserve(kUsual);
            charges.reserve(kUsual);
        }
        waits.push_back(wait);
        charges.push_back(charge);
    }
};

/// Counts the waits of each rank and step once (countOnce()) while they come in over many commits: a wait that was
/// joined later may take time from others that overlap it. It keeps the newest steps in memory; waits of other steps,
/// and those of an earlier writer, are read from the store. Pauses of the whole run are not counted as waits.
class WaitCounter {
public:
    /// Prepares to read from `db`, which the caller owns. Call it again if memory and store may differ.
    Result<void> prepare(const Database& db, int worldSize);
    /// Adds a pause of the whole run, in ns since the run's start, before waits that include it are added.
    void addPause(diagnosis::ActiveClock::Pause pause) { m_clock.add(pause); }
    /// Adds waits of a rank in a step (-1: before training) that are not in the store yet. Calls `change` for each wait
    /// of the step that is new (its countedNs is still -1), or whose counted time changed, with the difference.
    Result<void> add(int rank, std::int64_t step, StepWaits more,
                     const std::function<void(const WaitCharge&, std::int64_t)>& change);

private:
    static constexpr std::int64_t kNeverNs = -telemetry::kMostNs;
    struct Counted : StepWaits {
        std::int64_t settledNs = kNeverNs; ///< earlier waits are no longer counted
    };
    struct RankSteps {
        std::map<std::int64_t, Counted> newest;
        std::int64_t inStore = kNone; ///< newest step for which the store may have waits that are not in memory
    };
    static constexpr std::int64_t kNone = -2;
    /// Returns the wait in active time.
    diagnosis::RankWait active(const diagnosis::RankWait& wait) const;
    Result<Counted*> find(RankSteps& steps, int rank, std::int64_t step);
    Result<void> read(int rank, std::int64_t step, Counted& into);

    Statement m_joined;
    diagnosis::ActiveClock m_clock; ///< ns since the run's start
    std::vector<RankSteps> m_ranks; ///< by rank
};

} // namespace rankscope::store
