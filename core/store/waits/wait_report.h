// SPDX-License-Identifier: Apache-2.0
// Waits explained: who waited for whom over some steps, in which collective, because of which phase of the holder; how
// lengths go with lateness; and what balanced ranks, or no length sync, would have gained.
#pragma once

#include "core/diagnosis/waits/correlation.h"
#include "core/diagnosis/waits/scaling_model.h"
#include "core/diagnosis/waits/wait_matrix.h"
#include "core/diagnosis/waits/what_if_replay.h"

#include <cstdint>
#include <vector>

namespace rankscope::store {

/// Steps [first, last]; empty when last < first.
struct StepInterval {
    std::int64_t first = 0, last = -1;
    std::int64_t count() const { return last < first ? 0 : last - first + 1; }
    friend bool operator==(const StepInterval&, const StepInterval&) = default;
};

/// A rank's length less the mean of the other ranks', against its lateness: the others' mean wait less its own wait,
/// both in the same step.
struct LengthCorrelation {
    int rank = 0;
    diagnosis::Correlation framesMax;    ///< of the longest utterance
    diagnosis::Correlation paddedFrames; ///< of the whole batch as it was computed
};

struct WaitReport {
    int worldSize = 0;
    StepInterval steps;
    StepInterval run; ///< all steps that the run has: the same as `steps` where it is explained as a whole
    std::int64_t beginNs = 0, endNs = 0; ///< of these steps, over all ranks; since the run's start
    /// Steps whose single collectives and phases are there. Of the others phases and blocking are estimated
    /// (docs/diagnosis.md), and waits at the edges are those of whole groups of 16 steps.
    std::int64_t singleSteps = 0;
    bool estimatesAreSums = false; ///< in what is estimated, waits that overlap are added up: an older version's store
    diagnosis::WaitMatrix matrix;
    std::vector<LengthCorrelation> lengths; ///< by rank; empty with one rank
    diagnosis::Replayed replay;             ///< over the steps that it could follow

    /// How long a rank's training thread was blocked until the last rank arrived, as a mean over the ranks, ns.
    double lostNs() const {
        return worldSize > 0 ? static_cast<double>(matrix.total().blockedNs) / static_cast<double>(worldSize) : 0;
    }
};

} // namespace rankscope::store
