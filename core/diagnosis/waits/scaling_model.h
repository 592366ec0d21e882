// SPDX-License-Identifier: Apache-2.0
// Computes how much faster several ranks are than one alone, and where the rest of the time was lost. Pure.
#pragma once

#include "core/diagnosis/waits/what_if_replay.h"

#include <optional>
#include <utility>

namespace rankscope::diagnosis {

/// An amount of work and its duration. Measured in audio samples, which do not depend on the batches' lengths.
struct WorkDone {
    double samples = 0; ///< of all ranks
    double lastedNs = 0;
    double perSecond() const { return lastedNs > 0 ? samples / lastedNs * 1e9 : 0; }
};

/// All figures in units of speed-up: ranks = speedUp + waiting + imbalance + transfer + own.
struct Scaling {
    int ranks = 0;
    double speedUp = 0; ///< work per second against one rank's
    /// Lost because the ranks' steps differ in cost: the wait if the ranks met once a step.
    double imbalance = 0;
    double waiting = 0;  ///< lost in addition because they meet several times a step
    double transfer = 0; ///< blocked after the last rank had arrived
    double own = 0;      ///< each rank's own work takes longer than alone (negative: shorter)

    double lost() const { return waiting + imbalance + transfer + own; }
};

/// Returns the scaling of a run. `run`: the replay over the steps in which `samples` were processed.
Scaling scalingOf(const WhatIfResult& run, double samples, const WorkDone& oneRank);

/// Returns the usual speed-up of data-parallel training within one machine: 2 ranks 1.8-1.9, 4 3.5-3.8, 8 7.0-7.5.
std::optional<std::pair<double, double>> usualSpeedUp(int ranks);

} // namespace rankscope::diagnosis
