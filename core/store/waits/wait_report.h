// SPDX-License-Identifier: Apache-2.0
// Explains waits: which rank waited for which over some steps, in which collective, and because of which phase of the
// holder; how lengths correlate with lateness; and what balanced ranks, or no length sync, would have gained.
#pragma once

#include "core/diagnosis/waits/correlation.h"
#include "core/diagnosis/waits/scaling_model.h"
#include "core/diagnosis/waits/wait_matrix.h"
#include "core/diagnosis/waits/what_if_replay.h"

#include <cstdint>
#include <vector>

namespace rankscope::store {

/// Steps [first, last]; empty if last < first.
struct StepInterval {
    std::int64_t first = 0, last = -1;
    std::int64_t count() const { return last < first ? 0 : last - first + 1; }
    friend bool operator==(const StepInterval&, const StepInterval&) = default;
};

/// Correlates a rank's length minus the mean of the other ranks with its lateness: the others' mean wait minus its own
/// wait, both in the same step.
struct LengthCorrelation {
    int rank = 0;
    diagnosis::Correlation framesMax;    ///< of the longest utterance
    diagnosis::Correlation paddedFrames; ///< of the whole batch as it was computed
};

struct WaitReport {
    int worldSize = 0;
    StepInterval steps;
    StepInterval run;                    ///< all steps of the run; same as `steps` if the whole run is explained
    std::int64_t beginNs = 0, endNs = 0; ///< of these steps, over all ranks; since the run's start
    std::int64_t pausedNs = 0;           ///< how long the whole run was paused in between; no wait includes it
    /// Number of steps whose single collectives and phases are kept. For the others, phases and blocking are estimated
    /// (docs/diagnosis.md), and waits at the edges are those of whole groups of 16 steps.
    std::int64_t singleSteps = 0;
    bool estimatesAreSums = false; ///< estimates add up overlapping waits: store of an older version
    diagnosis::WaitMatrix matrix;
    std::vector<LengthCorrelation> lengths; ///< by rank; empty with one rank
    diagnosis::WhatIfResult replay;         ///< over the steps that could be replayed

    std::int64_t lastedNs() const { return endNs - beginNs - pausedNs; }
    /// How long a rank's training thread was blocked until the last rank arrived, as a mean over the ranks, ns.
    double lostNs() const {
        return worldSize > 0 ? static_cast<double>(matrix.total().blockedNs) / static_cast<double>(worldSize) : 0;
    }
};

} // namespace rankscope::store
