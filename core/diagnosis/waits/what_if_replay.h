// SPDX-License-Identifier: Apache-2.0
// Steps run again on paper: what the run would have taken without the length sync, or with balanced ranks. Pure.
//
// A rank's time is cut at the collectives in which its training thread blocked: what lies between two of them is its
// own work, what it blocked is wait (until the last rank arrived) and transfer (after that). A replay keeps own work
// and transfers as they were measured and lets the ranks meet anew: a rank leaves a collective a transfer after the
// latest arrival (max-plus). Replayed as it was, every measured time comes out again.
//
//   without the length sync  that collective is left out with its transfer. A rank that was early there goes on, and is
//                            early at the next collective instead: only what that one's latest arrival falls by is
//                            gained
//   balanced                 every rank's own work between two collectives is the ranks' mean: nobody waits
//
// What it takes for granted: own work takes as long as it did. Ranks that share cores or a loader that is ahead because
// its rank waits do not behave like that.
#pragma once

#include "core/diagnosis/model/collective_times.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

/// One rank's time from the begin of the first step to the last collective that blocked it.
struct RankTimes {
    std::int64_t ownNs = 0, waitNs = 0, transferNs = 0;
};

struct Replayed {
    std::int64_t steps = 0;   ///< that were replayed
    std::int64_t skipped = 0; ///< steps of which something is missing
    std::int64_t firstStep = -1, lastStep = -1;
    std::vector<RankTimes> ranks;
    // mean over the ranks, ns
    double observedNs = 0, balancedNs = 0, withoutLengthSyncNs = 0;
    double lengthSyncWaitNs = 0; ///< blocked in the length sync until the last rank arrived
    /// Longest less mean own work of the ranks, step by step: what they would wait if they met once a step.
    double imbalanceNs = 0;
    std::int64_t lengthSyncs = 0;

    double gainBalancedNs() const { return observedNs - balancedNs; }
    double gainWithoutLengthSyncNs() const { return observedNs - withoutLengthSyncNs; }
};

class StepReplay {
public:
    explicit StepReplay(int worldSize);

    /// All collectives of a step, of all ranks, in any order; they are sorted. Steps come ascending. `beginNs` by rank:
    /// when it began the step; looked at where the step before is not known. A step in which a rank is missing is left
    /// out.
    void step(std::int64_t step, std::vector<CollectiveTimes>& rows, std::span<const std::int64_t> beginNs);
    /// Here lies a step that cannot be replayed.
    void skip();
    Replayed result() const;

private:
    struct Clock {
        std::int64_t startNs = 0, leftNs = 0; ///< measured: the chain's begin, and the last collective left
        std::int64_t withoutSyncNs = 0;       ///< where the replay has come
        std::int64_t stepOwnNs = 0;
    };
    void meet(std::span<const CollectiveTimes> ranks);
    void endStep();
    void endChain();

    std::vector<Clock> m_clocks;
    Replayed m_sums;            ///< of chains that ended; mean figures are sums over the ranks yet
    std::int64_t m_before = -1; ///< the step before, when it was replayed
};

} // namespace rankscope::diagnosis
