// SPDX-License-Identifier: Apache-2.0
// How much faster several ranks are than one alone, and where the rest went. Pure.
#pragma once

#include "core/diagnosis/waits/what_if_replay.h"

#include <optional>
#include <utility>

namespace rankscope::diagnosis {

/// What was worked through, and how long that took. Audio samples: they count the work whatever the batches' lengths.
struct Work {
    double samples = 0; ///< of all ranks
    double lastedNs = 0;
    double perSecond() const { return lastedNs > 0 ? samples / lastedNs * 1e9 : 0; }
};

/// All figures in units of speed-up: ranks = speedUp + waiting + imbalance + transfer + own.
struct Scaling {
    int ranks = 0;
    double speedUp = 0; ///< work per second against one rank's
    double imbalance =
        0; ///< lost because the ranks' steps cost differently: what they would wait if they met once a step
    double waiting = 0;  ///< lost because they meet several times a step, besides
    double transfer = 0; ///< blocked after the last rank had arrived
    double own = 0;      ///< each rank's own work takes longer than alone (negative: shorter)

    double lost() const { return waiting + imbalance + transfer + own; }
};

/// `run`: the replay over the steps in which `samples` were worked through.
Scaling scalingOf(const Replayed& run, double samples, const Work& oneRank);

/// What is usual for data-parallel training within one machine: 2 ranks 1.8-1.9, 4 3.5-3.8, 8 7.0-7.5.
std::optional<std::pair<double, double>> usualSpeedUp(int ranks);

} // namespace rankscope::diagnosis
