// SPDX-License-Identifier: GPL-3.0-or-later
// Between time and step, by points that were read; run_step_clock.h puts several together.
#pragma once

#include "core/store/tables/metrics.h"

#include <span>
#include <vector>

namespace rankscope::ui {

class StepClock {
public:
    StepClock() = default;
    /// Points of one rank, in order.
    explicit StepClock(std::span<const store::SeriesPoint> points) : m_points(points.begin(), points.end()) {}

    bool empty() const { return m_points.empty(); }
    // of one that is not empty
    double firstStep() const { return static_cast<double>(m_points.front().firstStep); }
    double lastStep() const { return static_cast<double>(m_points.back().lastStep); }
    std::int64_t beginNs() const { return m_points.front().beginNs; }
    std::int64_t endNs() const { return m_points.back().endNs; }
    /// Step s covers [s - 0.5, s + 0.5]. Before the first step -0.5 of it, after the last one the step that follows,
    /// growing towards its end.
    double stepAt(std::int64_t ns) const;
    /// The time falls on a point of a single step, or between two such.
    bool isExactAt(std::int64_t ns) const;
    /// Its middle, since the run's start.
    std::int64_t timeOf(double step) const;

private:
    std::vector<store::SeriesPoint> m_points;
};

} // namespace rankscope::ui
