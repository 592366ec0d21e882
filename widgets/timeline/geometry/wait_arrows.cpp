// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/wait_arrows.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope::ui {

static constexpr double kApartPx = 7;

/// Moves arrows that would lie on each other apart, to the left, where their ranks still waited.
static void spread(std::vector<WaitArrow>& arrows, double nsPerPixel) {
    const auto bundle = [](const WaitArrow& a) {
        return std::tuple(a.group, a.sequence, a.holder, a.holder > a.waiter);
    };
    std::sort(arrows.begin(), arrows.end(), [&](const WaitArrow& a, const WaitArrow& b) {
        return std::pair(bundle(a), std::abs(a.waiter - a.holder)) <
               std::pair(bundle(b), std::abs(b.waiter - b.holder));
    });
    for (auto first = arrows.begin(); first != arrows.end();) {
        const auto behind =
            std::find_if(first, arrows.end(), [&](const WaitArrow& a) { return bundle(a) != bundle(*first); });
        std::int64_t shortest = first->waitNs;
        for (auto at = first; at != behind; ++at)
            shortest = std::min(shortest, at->waitNs);
        // all of them stay within the shortest of these waits
        const double room = 0.8 * static_cast<double>(shortest) / nsPerPixel / static_cast<double>(behind - first);
        const double apartNs = std::min(kApartPx, room) * nsPerPixel;
        for (auto at = first; at != behind; ++at) {
            const auto by = static_cast<std::int64_t>(apartNs * static_cast<double>(at - first));
            at->fromNs -= by;
            at->toNs -= by;
        }
        first = behind;
    }
}

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
    spread(arrows, scale.nsPerPixel());
    return arrows;
}

} // namespace rankscope::ui
