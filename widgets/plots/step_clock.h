// SPDX-License-Identifier: GPL-3.0-or-later
// Between time and step: incidents have times, the axis may have steps.
#pragma once

#include "core/store/metrics.h"

#include <span>
#include <vector>

namespace rankscope::ui {

class StepClock {
public:
    StepClock() = default;
    /// Points of one rank, in order.
    explicit StepClock(std::span<const store::SeriesPoint> points) : m_points(points.begin(), points.end()) {}

    bool empty() const { return m_points.empty(); }
    /// Step s covers [s - 0.5, s + 0.5]. Before the first step -0.5 of it, after the last one the step that follows,
    /// growing towards its end.
    double stepAt(std::int64_t ns) const;
    /// Its middle, since the run's start.
    std::int64_t timeOf(double step) const;

private:
    std::vector<store::SeriesPoint> m_points;
};

} // namespace rankscope::ui
