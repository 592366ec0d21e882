// SPDX-License-Identifier: GPL-3.0-or-later
// Where ticks stand and what they say: at most `most` of them, at round values, with the digits that their distance
// needs.
#pragma once

#include <QString>

#include <vector>

namespace rankscope::ui {

struct Ticks {
    std::vector<double> at;
    double step = 0; ///< distance; 0 on a log axis
};

Ticks niceTicks(double lo, double hi, int most, bool integersOnly = false);
/// Seconds: 1, 2, 5, 10, 15, 30 s, 1, 2, 5, … min, hours.
Ticks timeTicks(double lo, double hi, int most);
/// Whole decades where there are two or more, else as niceTicks.
Ticks logTicks(double lo, double hi, int most);

/// "0.25" beside "0.50"; thousands grouped; "−" for minus. `step` 0: as many digits as the value needs.
QString tickLabel(double value, double step);
/// "12", "1:30", "2:05:00" by how far the axis reaches.
QString timeLabel(double seconds, double reach);

/// Seconds are shown as ns, µs, ms, s or min, by the largest value that is seen.
struct DurationUnit {
    const char* name = "s";
    double perSecond = 1; ///< shown = seconds x perSecond
};
DurationUnit durationUnit(double topSeconds);

} // namespace rankscope::ui
