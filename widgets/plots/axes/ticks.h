// SPDX-License-Identifier: GPL-3.0-or-later
// Positions and labels of ticks: at most `most` of them, at round values, with as many digits as their distance needs.
#pragma once

#include <QString>

#include <vector>

namespace rankscope::ui {

struct Ticks {
    std::vector<double> at;
    double step = 0; ///< distance; 0 on a log axis
};

Ticks niceTicks(double lo, double hi, int most, bool integersOnly = false);
/// Returns ticks for seconds, at distances of 1, 2, 5, 10, 15, 30 s, 1, 2, 5, … min, hours.
Ticks timeTicks(double lo, double hi, int most);
/// Returns whole decades if there are two or more, otherwise the same as niceTicks.
Ticks logTicks(double lo, double hi, int most);

/// Returns a label: "0.25" next to "0.50", thousands grouped, "−" for minus. `step` 0: as many digits as the value
/// needs.
QString tickLabel(double value, double step);
/// Returns "12", "1:30" or "2:05:00", depending on how far the axis reaches.
QString timeLabel(double seconds, double reach);

/// The unit for seconds: ns, µs, ms, s or min, chosen by the largest visible value.
struct DurationUnit {
    const char* name = "s";
    double perSecond = 1; ///< shown = seconds x perSecond
};
DurationUnit durationUnit(double topSeconds);

} // namespace rankscope::ui
