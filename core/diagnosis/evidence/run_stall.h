// SPDX-License-Identifier: Apache-2.0
// Finds whether a run is stalled now and by which ranks, and how fast it trains. Header, list of runs, `launch`,
// `watch` and `show` all use this.
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

/// Returns true if the run is stalled while the incident is open: not for a series of short waits or non-finite values.
bool blocksRun(const Incident& incident);
/// Returns true if the incident stalls the run now.
bool isStall(const Incident& incident);

/// The interval between two times of one clock.
struct TimeInterval {
    std::int64_t beginNs = 0, endNs = 0;
};

struct RunStall {
    std::vector<int> ranks;   ///< that stall the run now, ascending; empty: no stall
    std::int64_t sinceNs = 0; ///< when the oldest of these stalls began

    explicit operator bool() const { return !ranks.empty(); }
    friend bool operator==(const RunStall&, const RunStall&) = default;
};

/// Returns the current stall. `incidents`: all of a run, or those that are open.
RunStall currentStall(std::span<const Incident> incidents);
/// Returns the stall in words: "stalled 47 s, rank 1".
Message standstillText(const RunStall& standstill, std::int64_t nowNs);
/// Returns when incidents stalled the run, or it was paused. An open one ends at INT64_MAX.
std::vector<TimeInterval> stalledIntervals(std::span<const Incident> incidents);

struct Pace {
    std::int64_t steps = 0, lastedNs = 0; ///< the newest steps, and how long they took with the pauses between them
    std::int64_t idleSinceNs = 0;         ///< when the newest step ended, or the stall after it

    /// Returns the rate, which falls while no step ends; 0: unknown.
    double stepsPerSecond(std::int64_t nowNs) const;
};

/// Returns the pace over steps that ended at `ends`, ascending; counting begins at the first one. Steps that were held
/// up are left out: the rate after a stall is that of the steps after and before it.
Pace paceOf(std::span<const std::int64_t> ends, std::span<const TimeInterval> stalledIntervals);

/// Returns steps per second: `steps` took `windowNs`, and for `idleNs` since then none has ended. A step that takes no
/// longer than usual does not lower it.
double rateNow(std::int64_t steps, std::int64_t windowNs, std::int64_t idleNs);

} // namespace rankscope::diagnosis
