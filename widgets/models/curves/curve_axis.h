// SPDX-License-Identifier: GPL-3.0-or-later
// What curves are drawn over: steps, time, or the samples that all ranks had worked through by then.
#pragma once

#include "core/store/tables/metrics.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::ui {

enum class CurveAxis { Step, Time, SampleCount };

/// As kept in settings: "step", "time", "samples".
QString axisName(CurveAxis axis);
CurveAxis axisOfName(const QString& name); ///< Step when it is none of them

/// Samples seen by the end of a step, over all ranks, and back: a monotone table with a line between its points, so
/// that the steps of a bucket share its samples in equal parts. Built from the stored batch sizes away from the
/// window's thread; a value that never changes.
class SampleAxis {
public:
    SampleAxis() = default;
    /// Batch sizes by rank, each in order; what a rank did not tell counts nothing.
    explicit SampleAxis(std::span<const std::vector<store::SeriesPoint>> ranks);
    /// The same with single steps or smaller buckets between the steps (afterStep, lastStep], both of them points of
    /// this table: what lies outside stays exactly where it was.
    SampleAxis refined(const SampleAxis& finer, double afterStep, double lastStep) const;

    bool isEmpty() const { return m_points.empty(); }
    double at(double step) const;
    double stepAt(double samples) const; ///< before the first sample: the step before the first one
    double total() const { return isEmpty() ? 0 : m_points.back().samples; }
    double lastStep() const { return isEmpty() ? -1 : m_points.back().step; }
    /// Points of the table around steps [first, last]: the last one before, the first one behind.
    std::pair<double, double> around(double first, double last) const;
    std::size_t size() const { return m_points.size(); }

    /// Reads at() for rising steps without a search each.
    class Walk {
    public:
        explicit Walk(const SampleAxis& axis) : m_axis(&axis) {}
        double at(double step);

    private:
        const SampleAxis* m_axis;
        std::size_t m_next = 0;
    };

private:
    struct Point {
        double step = 0, samples = 0; ///< both rise; by the end of the step
    };
    double between(std::size_t next, double step) const;

    std::vector<Point> m_points;
};
using SampleAxisPtr = std::shared_ptr<const SampleAxis>;

} // namespace rankscope::ui
