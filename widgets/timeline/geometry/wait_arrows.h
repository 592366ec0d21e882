// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits for whom, as arrows between lanes. Pure.
#pragma once

#include "widgets/models/timeline/timeline_data.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <vector>

namespace rankscope::ui {

struct WaitArrow {
    int waiter = 0, holder = 0;
    std::int64_t fromNs = 0; ///< on the waiter's lane: it waits
    std::int64_t toNs = 0;   ///< on the holder's lane: it arrives at last
    std::int64_t waitNs = 0;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    int row = 0; ///< of the waiter's span
};

/// Arrows of one collective that come from the same side lie beside each other, the nearest rank's at the arrival, so
/// that each can be followed.
/// Of waits that end in view and are at least `leastPx` long on the screen; the longest `most` of them.
std::vector<WaitArrow> arrowsOf(const TimelineReply& reply, const TimeScale& scale, double leastPx, std::size_t most);

} // namespace rankscope::ui
