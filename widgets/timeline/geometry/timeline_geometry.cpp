// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/timeline_geometry.h"

#include "widgets/plots/axes/ticks.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

QString clock(std::int64_t seconds) {
    const auto two = [](std::int64_t n) { return QStringLiteral("%1").arg(n, 2, 10, QChar(u'0')); };
    if (seconds >= 3600)
        return QStringLiteral("%1:%2:%3").arg(seconds / 3600).arg(two(seconds / 60 % 60), two(seconds % 60));
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(two(seconds % 60));
}

/// Digits behind the point that tell values of `unit` apart that are `step` away from each other.
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
    // ticks count from the base, so that they stay exact however far the run has come
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
    const int lane = std::clamp(height / std::max(ranks, 1), least.height(), std::max(tallest(ranks), least.height()));
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

} // namespace rankscope::ui
