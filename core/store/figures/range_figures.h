// SPDX-License-Identifier: Apache-2.0
// What each rank did in a part of a run: losses, step times, waits, lengths and incidents.
#pragma once

#include "core/store/read/run_reader.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace rankscope::store {

/// The figures of one rank. A figure that no step of the range has is NaN.
struct RankFigures {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    int rank = 0;
    std::int64_t steps = 0;                                       ///< that have ended
    double meanLoss = kNone, leastLoss = kNone, mostLoss = kNone; ///< over the finite losses
    double stepNs = kNone;                                        ///< mean; time between steps is not included
    std::int64_t waitedNs = 0; ///< how long its training thread was blocked until the last rank arrived
    std::int64_t heldNs = 0;   ///< how long the others were blocked because of it, summed over them
    double longestFrames = kNone;
    double paddingShare = kNone; ///< of the computed frames
    int incidents = 0;           ///< in which it held up the others

    double stepsPerSecond() const { return 1e9 / stepNs; }
};

struct RangeFigures {
    WaitReport waits; ///< with the steps that are counted
    std::vector<RankFigures> ranks;
    int incidents = 0;
};

/// Reads the figures of the steps that exist, in memory that does not grow with them. Returns Busy soon after
/// `cancelled` returns true.
Result<RangeFigures> readRangeFigures(RunReader& reader, StepInterval steps,
                                      const std::function<bool()>& cancelled = {});

} // namespace rankscope::store
