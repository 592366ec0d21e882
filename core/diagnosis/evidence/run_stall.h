// SPDX-License-Identifier: Apache-2.0
// Whether a run is stalled now, and by which ranks. Header, list of runs, `launch`, `watch` and `show` all use this.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// True when the run is stalled while the incident is open: not for a series of short waits or for bad numbers.
bool holdsUp(const Incident& incident);
/// True when it stalls the run now.
bool isStall(const Incident& incident);

/// Between two times of one clock.
struct Interval {
    std::int64_t beginNs = 0, endNs = 0;
};

struct Standstill {
    std::vector<int> ranks;   ///< that stall the run now, ascending; empty: no stall
    std::int64_t sinceNs = 0; ///< when the oldest of these stalls began

    explicit operator bool() const { return !ranks.empty(); }
    friend bool operator==(const Standstill&, const Standstill&) = default;
};

/// `incidents`: all of a run, or those that are open.
Standstill standstillOf(std::span<const Incident> incidents);
/// "stalled 47 s, rank 1".
std::string standstillText(const Standstill& standstill, std::int64_t nowNs);
/// Returns when incidents stalled the run. An open one ends at the greatest time.
std::vector<Interval> heldUp(std::span<const Incident> incidents);

} // namespace rankscope::diagnosis
