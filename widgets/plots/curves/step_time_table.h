// SPDX-License-Identifier: GPL-3.0-or-later
// Converts between time and step by points that were read; step_time_map.h combines several of these.
#pragma once

#include "core/store/tables/metrics.h"

#include <span>
#include <vector>

namespace rankscope::ui {

class StepTimeTable {
public:
    StepTimeTable() = default;
    /// `points` are those of one rank, in order.
    explicit StepTimeTable(std::span<const store::SeriesPoint> points) : m_points(points.begin(), points.end()) {}

    bool empty() const { return m_points.empty(); }
    // must not be empty
    double firstStep() const { return static_cast<double>(m_points.front().firstStep); }
    double lastStep() const { return static_cast<double>(m_points.back().lastStep); }
    std::int64_t beginNs() const { return m_points.front().beginNs; }
    std::int64_t endNs() const { return m_points.back().endNs; }
    /// Returns the step at a time; step s covers [s - 0.5, s + 0.5]. Returns the first step - 0.5 before the first
    /// step; after the last one, the value grows through the step that follows.
    double stepAt(std::int64_t ns) const;
    /// Returns whether the time is in a point of a single step, or between two of them.
    bool isExactAt(std::int64_t ns) const;
    /// Returns the time of the step's middle, since the run's start.
    std::int64_t timeOf(double step) const;

private:
    std::vector<store::SeriesPoint> m_points;
};

} // namespace rankscope::ui
