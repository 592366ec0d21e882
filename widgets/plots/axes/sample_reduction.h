// SPDX-License-Identifier: GPL-3.0-or-later
// From the store's points to what a plot draws: pixel buckets that keep their extremes, smoothing, bands over ranks.
#pragma once

#include "core/store/tables/metrics.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/plot_range.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

/// One point of a curve: a step, or several with their extremes.
struct Sample {
    double x = 0; ///< step, seconds since the run's start, or samples seen
    double min = 0, mean = 0, max = 0;
    std::int64_t count = 0;     ///< finite values; 0: a gap
    std::int64_t notFinite = 0; ///< NaN or infinite ones
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t timeNs = 0; ///< middle, since the run's start

    bool isGap() const { return count == 0; }
    bool isBucket() const { return count > 1; }

    friend bool operator==(const Sample&, const Sample&) = default;
};
using Samples = std::vector<Sample>;

/// x is the step (a bucket's middle), the middle of its time, or what `samples` says of the step; y x `scale`.
Samples toSamples(std::span<const store::SeriesPoint> points, CurveAxis axis, double scale,
                  const SampleAxis* samples = nullptr);
/// Moves samples, in order of their steps, to where they stand on the axis.
void place(Samples& points, CurveAxis axis, const SampleAxis* samples);

/// At most one sample per pixel column of a window that is `pixels` wide; what is merged keeps its extremes.
Samples bucketed(const Samples& samples, PlotRange window, int pixels);

/// Exponential moving average over the means; the half-life is in steps, so a bucket of 8 steps weighs as 8. Starts at
/// the first value without bias; a gap stays one.
Samples smoothed(const Samples& samples, double halfLifeSteps);

struct Extent {
    double lo = 0, hi = 0;
    bool any = false;

    void add(double value);
    void add(const Extent& other);
};
/// Smallest and largest value inside the window, and its neighbours on either side, because lines lead to them.
Extent extentOf(const Samples& samples, PlotRange window, bool positiveOnly = false);

/// Smallest, mean and largest over several ranks at the same x.
Samples bandAcross(std::span<const Samples* const> ranks);

/// The last sample at or before x, or null when there is none.
const Sample* lastUntil(const Samples& samples, double x);

/// The sample nearest to x, or null when there is none.
const Sample* nearest(const Samples& samples, double x);

} // namespace rankscope::ui
