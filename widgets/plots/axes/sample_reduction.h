// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the store's points into drawable samples: pixel buckets that keep their extremes, smoothing, bands over ranks.
#pragma once

#include "core/store/tables/metrics.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/plot_range.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

/// One point of a curve: a single step, or several with their extremes.
struct Sample {
    double x = 0; ///< step, seconds since the run's start, or samples seen
    double min = 0, mean = 0, max = 0;
    std::int64_t count = 0;     ///< finite values; 0: a gap
    std::int64_t notFinite = 0; ///< NaN or infinite ones
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t timeNs = 0; ///< middle of its time, since the run's start

    bool isGap() const { return count == 0; }
    bool isBucket() const { return count > 1; }

    friend bool operator==(const Sample&, const Sample&) = default;
};
using Samples = std::vector<Sample>;

/// Converts points to samples. x is the step (a bucket's middle), the middle of its time, or the step's place in
/// `samples`; y is multiplied by `scale`.
Samples samplesFrom(std::span<const store::SeriesPoint> points, CurveAxis axis, double scale,
                    const SampleAxis* samples = nullptr);
/// Sets the positions on the axis of samples that are in order of their steps.
void setPositions(Samples& points, CurveAxis axis, const SampleAxis* samples);

/// Returns at most one sample per pixel column of a window that is `pixels` wide; merged samples keep their extremes.
Samples reduceToPixels(const Samples& samples, PlotRange window, int pixels);

/// Returns the exponential moving average of the means. The half-life is in steps, so a bucket of 8 steps weighs as 8.
/// It starts at the first value without bias; gaps stay gaps.
Samples smoothed(const Samples& samples, double halfLifeSteps);

struct Extent {
    double lo = 0, hi = 0;
    bool any = false;

    void add(double value);
    void add(const Extent& other);
};
/// Returns the smallest and largest value in the window, including the neighbours on either side to which lines lead.
Extent extentOf(const Samples& samples, PlotRange window, bool positiveOnly = false);

/// Returns minimum, mean and maximum over several ranks at the same x.
Samples bandAcross(std::span<const Samples* const> ranks);

/// Returns `samples`, continued by those of `newer` that reach beyond its last step. They are left out if steps are
/// missing between the two.
Samples continued(Samples samples, const Samples& newer);

/// Returns the last sample at or before x; null if there is none.
const Sample* lastUntil(const Samples& samples, double x);

/// Returns the sample nearest to x; null if there is none.
const Sample* nearest(const Samples& samples, double x);

} // namespace rankscope::ui
