// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic for the visible window of the shared x axis.
#pragma once

namespace rankscope::ui {

struct PlotRange {
    double lo = 0, hi = 1;

    double width() const { return hi - lo; }
    bool contains(double x) const { return x >= lo && x <= hi; }
    friend bool operator==(const PlotRange&, const PlotRange&) = default;
};

/// Moves a range inside `limits`, at least `minWidth` wide (or as wide as the limits); keeps its width if possible.
PlotRange clamped(PlotRange range, PlotRange limits, double minWidth);
/// Zooms around `centre`, which keeps its place; `factor` < 1 zooms in.
PlotRange zoomed(PlotRange range, double centre, double factor, PlotRange limits, double minWidth);
PlotRange panned(PlotRange range, double delta, PlotRange limits);
/// Returns a range of the same width at the end of the limits.
PlotRange following(PlotRange range, PlotRange limits);

} // namespace rankscope::ui
