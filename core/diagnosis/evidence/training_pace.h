// SPDX-License-Identifier: Apache-2.0
// How fast a run trains now, computed from the times at which its newest steps ended.
#pragma once

#include "core/diagnosis/evidence/run_stall.h"

#include <cstdint>
#include <span>

namespace rankscope::diagnosis {

struct Pace {
    std::int64_t steps = 0, lastedNs = 0; ///< the newest steps, and how long they took with the pauses between them
    std::int64_t idleSinceNs = 0;         ///< when the newest step ended, or the stall after it

    /// 0: not known. It falls while no step ends.
    double stepsPerSecond(std::int64_t nowNs) const;
};

/// `ends`: when steps ended, ascending; the first one is where counting begins. Steps that were held up are left out:
/// the rate after a stall is that of the steps after and before it.
Pace paceOf(std::span<const std::int64_t> ends, std::span<const Interval> heldUp);

/// Steps per second: `steps` took `windowNs`, and for `idleNs` since then none has ended. A step that takes no longer
/// than usual does not lower it.
double rateNow(std::int64_t steps, std::int64_t windowNs, std::int64_t idleNs);

} // namespace rankscope::diagnosis
