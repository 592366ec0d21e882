// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/step_ticks.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

/// The smallest 1, 2 or 5 x 10^n that is at least `least`.
std::int64_t roundInterval(double least) {
    std::int64_t power = 1;
    while (static_cast<double>(power) * 5 < least && power < INT64_MAX / 100)
        power *= 10;
    for (const std::int64_t times : {1, 2, 5})
        if (static_cast<double>(times * power) >= least)
            return times * power;
    return 10 * power;
}

/// Pixels that a step mostly takes: the median over the points in view, so that one long step does not count.
double usualPx(std::span<const store::SeriesPoint> seen, const TimeScale& scale) {
    std::vector<double> px;
    px.reserve(seen.size());
    for (const auto& point : seen)
        px.push_back(static_cast<double>(point.endNs - point.beginNs) /
                     static_cast<double>(std::max<std::int64_t>(point.lastStep - point.firstStep + 1, 1)) /
                     scale.nsPerPixel());
    const auto middle = px.begin() + static_cast<std::ptrdiff_t>(px.size() / 2);
    std::nth_element(px.begin(), middle, px.end());
    return std::max(*middle, 1e-9);
}

} // namespace

std::vector<StepMark> stepMarks(std::span<const store::SeriesPoint> steps, const TimeScale& scale, double apartPx) {
    const auto first = std::partition_point(steps.begin(), steps.end(), [&](const auto& point) {
        return static_cast<double>(point.endNs) < scale.window.lo;
    });
    const auto last = std::partition_point(
        first, steps.end(), [&](const auto& point) { return static_cast<double>(point.beginNs) <= scale.window.hi; });
    const std::span<const store::SeriesPoint> seen(first, last);
    std::vector<StepMark> marks;
    if (seen.empty())
        return marks;
    const std::int64_t interval = roundInterval(apartPx / usualPx(seen, scale));
    for (const auto& point : seen) {
        const std::int64_t step = (point.firstStep + interval - 1) / interval * interval;
        if (step > point.lastStep)
            continue;
        // within a point of several steps: as if all took the same
        const double share =
            static_cast<double>(step - point.firstStep) / static_cast<double>(point.lastStep - point.firstStep + 1);
        const double x =
            scale.x(static_cast<double>(point.beginNs) + share * static_cast<double>(point.endNs - point.beginNs));
        if (x >= 0 && x <= scale.width && (marks.empty() || x - marks.back().x >= apartPx * 0.75))
            marks.push_back({step, x});
    }
    if (marks.empty())
        marks.push_back({seen.front().firstStep, std::max(scale.x(static_cast<double>(seen.front().beginNs)), 0.0)});
    return marks;
}

} // namespace rankscope::ui
