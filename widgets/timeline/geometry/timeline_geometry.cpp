// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/timeline_geometry.h"

#include "widgets/plots/axes/ticks.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope::ui {

namespace {

QString clock(std::int64_t seconds) {
    const auto two = [](std::int64_t n) { return QStringLiteral("%1").arg(n, 2, 10, QChar(u'0')); };
    if (seconds >= 3600)
        return QStringLiteral("%1:%2:%3").arg(seconds / 3600).arg(two(seconds / 60 % 60), two(seconds % 60));
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(two(seconds % 60));
}

/// Returns the decimal places needed to distinguish values, in `unit`, that are `step` apart.
int decimals(double step, double unit) {
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 9);
}

} // namespace

QString momentText(double ns, double stepNs) {
    const bool before = ns < 0;
    const auto whole = static_cast<std::int64_t>(std::floor(std::abs(ns) / 1e9));
    const int digits = decimals(std::max(stepNs, 1.0), 1e9);
    QString text = clock(whole);
    if (digits > 0) {
        const auto rest = static_cast<std::int64_t>(std::abs(ns) - static_cast<double>(whole) * 1e9);
        text += u'.' + QStringLiteral("%1").arg(rest, 9, 10, QChar(u'0')).left(digits);
    }
    return before ? QChar(0x2212) + text : text;
}

TimeAxis timeAxis(PlotRange window, int most) {
    TimeAxis axis;
    const double seconds = window.width() / 1e9;
    if (!(seconds > 0) || most < 1)
        return axis;
    const double stepGuess = seconds / most;
    if (stepGuess >= 0.05) {
        const Ticks ticks = timeTicks(window.lo / 1e9, window.hi / 1e9, most);
        for (const double at : ticks.at)
            axis.ticks.push_back({at * 1e9, momentText(at * 1e9 + 0.5, ticks.step * 1e9)});
        return axis;
    }
    // ticks count from the base, so that they stay exact in a long run
    const double baseUnit = stepGuess < 5e-6 ? 1e6 : 1e9;
    const double base = std::floor(window.lo / baseUnit) * baseUnit;
    const double unit = stepGuess < 5e-6 ? 1e3 : 1e6;
    const QString name = stepGuess < 5e-6 ? QStringLiteral("µs") : QStringLiteral("ms");
    axis.base = momentText(base + 0.5, baseUnit);
    const Ticks ticks = niceTicks((window.lo - base) / unit, (window.hi - base) / unit, most);
    for (const double at : ticks.at)
        axis.ticks.push_back(
            {base + at * unit, QStringLiteral("+%1 %2").arg(QString::number(at, 'f', decimals(ticks.step, 1)), name)});
    return axis;
}

LaneLayout LaneLayout::of(int ranks, int height) {
    const LaneLayout least = of(ranks);
    const int lane = std::clamp(height / std::max(ranks, 2), least.height(), kTallest);
    if (lane == least.height())
        return least;
    LaneLayout grown;
    grown.top = std::clamp(lane / 10, 2, 8);
    grown.bottom = std::clamp(lane / 8, 2, 10);
    grown.gap = lane < 40 ? 1 : 3;
    const int bars = lane - grown.top - grown.gap - grown.bottom;
    grown.phases = std::max(bars * 54 / 100, least.phases);
    grown.collectives = bars - grown.phases;
    return grown;
}

LaneHit laneAt(int y, const LaneLayout& layout, int lanes) {
    LaneHit hit;
    if (y < 0 || y >= layout.height() * lanes)
        return hit;
    hit.rank = y / layout.height();
    const int within = y % layout.height();
    if (within >= layout.top && within < layout.top + layout.phases)
        hit.part = LanePart::Phases;
    else if (within >= layout.collectiveTop() && within < layout.collectiveTop() + layout.collectives)
        hit.part = LanePart::Collectives;
    return hit;
}

namespace {

/// Returns the smallest 1, 2 or 5 x 10^n that is at least `least`.
std::int64_t roundInterval(double least) {
    std::int64_t power = 1;
    while (static_cast<double>(power) * 5 < least && power < INT64_MAX / 100)
        power *= 10;
    for (const std::int64_t times : {1, 2, 5})
        if (static_cast<double>(times * power) >= least)
            return times * power;
    return 10 * power;
}

/// Returns a step's usual width in pixels: the median over the points in view, so that one long step has no effect.
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
        // within a point of several steps, all are assumed to take the same time
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

static constexpr double kApartPx = 7;

/// Separates overlapping arrows by moving them to the left, where their ranks still waited.
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
            // starts a little before the wait's end, so that the arrow leans towards the arrival that ends it
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
