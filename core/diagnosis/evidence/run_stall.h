// SPDX-License-Identifier: Apache-2.0
// Whether a run stands still now, and who holds it up: header, list of runs, `launch`, `watch` and `show` say the same.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// The run stands still because of it while it is open: neither a series of short waits nor bad numbers.
bool holdsUp(const Incident& incident);
/// It holds the run up and is open.
bool isStall(const Incident& incident);

/// Between two times of one clock.
struct Interval {
    std::int64_t beginNs = 0, endNs = 0;
};

struct Standstill {
    std::vector<int> ranks;   ///< that hold the run up now, ascending; empty: none does
    std::int64_t sinceNs = 0; ///< when the oldest of these stalls began

    explicit operator bool() const { return !ranks.empty(); }
    friend bool operator==(const Standstill&, const Standstill&) = default;
};

/// `incidents`: all of a run, or those that are open.
Standstill standstillOf(std::span<const Incident> incidents);
/// "stalled 47 s, rank 1".
std::string standstillText(const Standstill& standstill, std::int64_t nowNs);
/// When incidents held the run up. Of an open one the end is the greatest time.
std::vector<Interval> heldUp(std::span<const Incident> incidents);

} // namespace rankscope::diagnosis
