// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/ticks.h"

#include "core/base/text/unit_format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::ui {

namespace {

Ticks every(double step, double lo, double hi) {
    Ticks ticks;
    ticks.step = step;
    const double slack = step * 1e-9;
    const double first = std::ceil((lo - slack) / step);
    for (double i = first; i * step <= hi + slack && ticks.at.size() < 64; ++i)
        ticks.at.push_back(i == 0 ? 0 : i * step);
    return ticks;
}

/// Keeps every n-th of too many ticks, if the next round step would leave a single tick, which shows no scale.
Ticks thinned(const Ticks& ticks, int most) {
    const std::size_t stride = (ticks.at.size() + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most);
    Ticks few;
    few.step = ticks.step * static_cast<double>(stride);
    for (std::size_t i = 0; i < ticks.at.size(); i += std::max<std::size_t>(1, stride))
        few.at.push_back(ticks.at[i]);
    return few;
}

bool usable(double lo, double hi) {
    return std::isfinite(lo) && std::isfinite(hi) && hi > lo;
}

} // namespace

Ticks niceTicks(double lo, double hi, int most, bool integersOnly) {
    if (!usable(lo, hi) || most < 1)
        return {};
    Ticks finer;
    double magnitude = std::pow(10.0, std::floor(std::log10((hi - lo) / most)));
    if (integersOnly)
        magnitude = std::max(magnitude, 1.0);
    for (;; magnitude *= 10)
        for (const double m : {1.0, 2.0, 5.0}) {
            auto ticks = every(m * magnitude, lo, hi);
            if (ticks.at.size() <= static_cast<std::size_t>(most))
                return ticks.at.size() < 2 && most > 1 && !finer.at.empty() ? thinned(finer, most) : ticks;
            finer = std::move(ticks);
        }
}

Ticks timeTicks(double lo, double hi, int most) {
    if (!usable(lo, hi) || most < 1)
        return {};
    static constexpr std::array steps{1.0,   2.0,   5.0,    10.0,   15.0,   30.0,   60.0,    120.0,   300.0,
                                      600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800., 21600.0, 43200.0, 86400.0};
    if ((hi - lo) / most < steps.front() / 2)
        return niceTicks(lo, hi, most);
    for (const double step : steps) {
        auto ticks = every(step, lo, hi);
        if (ticks.at.size() <= static_cast<std::size_t>(most))
            return ticks;
    }
    return niceTicks(lo, hi, most);
}

Ticks logTicks(double lo, double hi, int most) {
    if (!usable(lo, hi) || lo <= 0)
        return {};
    const int first = static_cast<int>(std::ceil(std::log10(lo) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(hi) + 1e-9));
    if (last - first < 1)
        return niceTicks(lo, hi, most);
    const int stride = (last - first) / most + 1;
    Ticks ticks;
    for (int e = first; e <= last; e += stride)
        ticks.at.push_back(std::pow(10.0, e));
    return ticks;
}

QString tickLabel(double value, double step) {
    if (value == 0)
        return QStringLiteral("0");
    if (std::abs(value) >= 1e7 || (std::abs(value) < 1e-4 && step < 1e-4))
        return QString::number(value, 'g', 4);
    int decimals = 0;
    const double unit = step > 0 ? step : std::abs(value);
    if (unit < 1)
        decimals = static_cast<int>(std::ceil(-std::log10(unit) - 1e-9));
    if (step > 0 && std::abs(step * std::pow(10.0, decimals) - std::round(step * std::pow(10.0, decimals))) > 1e-6)
        ++decimals;
    if (decimals == 0)
        return QString::fromStdString(formatCount(std::llround(value))).replace(u'-', QChar(0x2212));
    return QString::number(value, 'f', std::min(decimals, 6)).replace(u'-', QChar(0x2212));
}

QString timeLabel(double seconds, double reach) {
    if (reach < 120)
        return tickLabel(seconds, seconds == std::floor(seconds) ? 1 : 0.1);
    const auto whole = static_cast<qint64>(std::llround(seconds));
    const QString s = QStringLiteral("%1").arg(whole % 60, 2, 10, QChar(u'0'));
    if (reach < 3600)
        return QStringLiteral("%1:%2").arg(whole / 60).arg(s);
    const QString min = QStringLiteral("%1").arg(whole / 60 % 60, 2, 10, QChar(u'0'));
    return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(min, s);
}

DurationUnit durationUnit(double topSeconds) {
    if (topSeconds >= 600)
        return {"min", 1.0 / 60};
    if (topSeconds >= 1)
        return {"s", 1};
    if (topSeconds >= 1e-3)
        return {"ms", 1e3};
    return {"µs", 1e6};
}

} // namespace rankscope::ui
