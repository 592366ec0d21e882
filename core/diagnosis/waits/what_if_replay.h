// SPDX-License-Identifier: Apache-2.0
// Replays steps to compute how long the run would have taken without the length sync, or with balanced ranks. Pure.
//
// A rank's time is cut at the collectives in which its training thread blocked: the time between two of them is
// its own work, the blocked time is wait (until the last rank arrived) and transfer (after that). A replay keeps own
// work and transfers as measured and computes the meetings again: a rank leaves a collective a transfer after the
// latest arrival (max-plus). Without a change, the replay reproduces every measured time.
//
//   without the length sync  that collective is left out with its transfer. A rank that was early there continues, and
//                            is early at the next collective instead: the gain is only the time by which the latest
//                            arrival there is earlier
//   balanced                 every rank's own work between two collectives is the ranks' mean: no rank waits
//
// The replay assumes that own work takes as long as it did. That is not so for ranks that share cores, or for a loader
// that gets ahead because its rank waits.
#pragma once

#include "core/diagnosis/model/collective_times.h"
#include "core/telemetry/format/process_groups.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

/// One rank's time from the beginning of the first step to the last collective that blocked it.
struct RankTimes {
    std::int64_t ownNs = 0, waitNs = 0, transferNs = 0;
};

struct WhatIfResult {
    std::int64_t steps = 0;   ///< steps that were replayed
    std::int64_t skipped = 0; ///< steps with missing data
    std::int64_t firstStep = -1, lastStep = -1;
    std::vector<RankTimes> ranks;
    // mean over the ranks, ns
    double observedNs = 0, balancedNs = 0, withoutLengthSyncNs = 0;
    double lengthSyncWaitNs = 0; ///< blocked in the length sync until the last rank arrived
    /// Longest minus mean own work of the ranks, summed over the steps: their wait if they met once a step.
    double imbalanceNs = 0;
    std::int64_t lengthSyncs = 0;

    double gainBalancedNs() const { return observedNs - balancedNs; }
    double gainWithoutLengthSyncNs() const { return observedNs - withoutLengthSyncNs; }
};

class WhatIfReplay {
public:
    explicit WhatIfReplay(int worldSize, telemetry::ProcessGroups groups = {});

    /// Replays a step. `rows`: all its collectives, of all ranks, in any order; they are sorted. Call it in step order.
    /// `beginNs`: when each rank began the step; used if the previous step is not known. A step in which a rank of a
    /// collective's group is missing is skipped.
    void step(std::int64_t step, std::vector<CollectiveTimes>& rows, std::span<const std::int64_t> beginNs);
    /// Marks a step that cannot be replayed.
    void skip();
    WhatIfResult result() const;

private:
    struct ReplayClock {
        std::int64_t startNs = 0, leftNs = 0; ///< measured: beginning of the chain; when the last collective was left
        std::int64_t withoutSyncNs = 0;       ///< the time that the replay has reached
        std::int64_t stepOwnNs = 0;
    };
    std::vector<std::span<const CollectiveTimes>> collectivesOf(std::vector<CollectiveTimes>& rows) const;
    void meet(std::span<const CollectiveTimes> ranks);
    void endStep();
    void endChain();

    std::vector<ReplayClock> m_clocks;
    telemetry::ProcessGroups m_groups;
    WhatIfResult m_sums;        ///< of chains that ended; mean figures are still sums over the ranks
    std::int64_t m_before = -1; ///< the previous step if it was replayed; else -1
};

} // namespace rankscope::diagnosis
