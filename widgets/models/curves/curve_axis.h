// SPDX-License-Identifier: GPL-3.0-or-later
// What curves are drawn over: steps, time, or the samples that all ranks had processed by then.
#pragma once

#include "core/store/tables/metrics.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::ui {

enum class CurveAxis { Step, Time, SampleCount };

/// Returns the name used in settings: "step", "time" or "samples".
QString axisName(CurveAxis axis);
CurveAxis axisOfName(const QString& name); ///< Step if it is none of them

/// Maps a step to the samples seen by its end, over all ranks, and back. It is a monotone table with lines between its
/// points, so that the steps of a bucket share its samples equally. It is immutable and built from the stored batch
/// sizes outside the window's thread.
class SampleAxis {
public:
    SampleAxis() = default;
    /// Takes batch sizes by rank, each in order; batches that a rank did not report count as nothing.
    explicit SampleAxis(std::span<const std::vector<store::SeriesPoint>> ranks);
    /// Returns the same table with single steps or smaller buckets between the steps (afterStep, lastStep], which are
    /// both points of this table. Everything outside stays exactly the same.
    SampleAxis refined(const SampleAxis& finer, double afterStep, double lastStep) const;

    bool isEmpty() const { return m_points.empty(); }
    double at(double step) const;
    double stepAt(double samples) const; ///< before the first sample: the step before the first one
    double total() const { return isEmpty() ? 0 : m_points.back().samples; }
    double lastStep() const { return isEmpty() ? -1 : m_points.back().step; }
    /// Returns the points of the table around steps [first, last]: the last one before and the first one after.
    std::pair<double, double> around(double first, double last) const;
    std::size_t size() const { return m_points.size(); }

    /// Reads at() for rising steps without a search for each.
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
        double step = 0, samples = 0; ///< by the end of the step; both rise
    };
    double between(std::size_t next, double step) const;

    std::vector<Point> m_points;
};
using SampleAxisPtr = std::shared_ptr<const SampleAxis>;

} // namespace rankscope::ui
