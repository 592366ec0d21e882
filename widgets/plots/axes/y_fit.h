// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of the y axis: what most of the values reach, which peaks lie beyond a range, zooming and moving on a
// linear or logarithmic scale.
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <span>
#include <vector>

namespace rankscope::ui {

/// The extent without outliers: values that lie further beyond the middle 80 % than one and a half times its width.
/// Few values, or values that are nearly all the same, have no outliers: then all of them count.
Extent typicalExtent(std::span<const Samples* const> curves, PlotRange window, bool log);

/// A stretch of a curve beyond the y range, at its furthest value.
struct CutPeak {
    double x = 0, y = 0;
    bool above = true;
    friend bool operator==(const CutPeak&, const CutPeak&) = default;
};
std::vector<CutPeak> cutPeaks(const Samples& samples, PlotRange window, PlotRange y);

/// `factor` < 1 zooms in; what lies at `centre` stays there. On a log scale both ends are positive.
PlotRange zoomedY(PlotRange y, double centre, double factor, bool log);
/// What was at `from` comes to lie at `to`.
PlotRange movedY(PlotRange y, double from, double to, bool log);

} // namespace rankscope::ui
