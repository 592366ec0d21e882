// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_arrows.h"

#include <algorithm>

namespace rankscope::ui {

std::vector<WaitArrow> arrowsOf(const TimelineReply& reply, const TimeScale& scale, double leastPx, std::size_t most) {
    std::vector<WaitArrow> arrows;
    const double leastNs = leastPx * scale.nsPerPixel();
    for (const TimelineLane& lane : reply.lanes)
        for (const TimelineSpan& span : lane.collectives) {
            if (span.holder < 0 || span.holder == lane.rank || static_cast<double>(span.waitNs) < leastNs)
                continue;
            const std::int64_t metNs = span.beginNs + span.waitNs;
            if (static_cast<double>(metNs) < scale.window.lo || static_cast<double>(metNs) > scale.window.hi)
                continue;
            // a little before the wait's end: the arrow leans towards the arrival that ends it
            const auto lean = static_cast<std::int64_t>(std::min(8.0, leastPx) * scale.nsPerPixel());
            arrows.push_back({lane.rank, span.holder, std::min(span.waitEndNs(), metNs) - lean, metNs, span.waitNs,
                              span.group, span.sequence, span.row});
        }
    if (arrows.size() > most) {
        std::nth_element(arrows.begin(), arrows.begin() + static_cast<std::ptrdiff_t>(most), arrows.end(),
                         [](const WaitArrow& a, const WaitArrow& b) { return a.waitNs > b.waitNs; });
        arrows.resize(most);
    }
    return arrows;
}

} // namespace rankscope::ui
