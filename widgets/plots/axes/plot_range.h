// SPDX-License-Identifier: GPL-3.0-or-later
// The visible window of the shared x axis: arithmetic only.
#pragma once

namespace rankscope::ui {

struct PlotRange {
    double lo = 0, hi = 1;

    double width() const { return hi - lo; }
    bool contains(double x) const { return x >= lo && x <= hi; }
    friend bool operator==(const PlotRange&, const PlotRange&) = default;
};

/// Inside `limits` and at least `minWidth` wide (or as wide as the limits); keeps the width where it can.
PlotRange clamped(PlotRange range, PlotRange limits, double minWidth);
/// `factor` < 1 zooms in; what lies under `centre` stays there.
PlotRange zoomed(PlotRange range, double centre, double factor, PlotRange limits, double minWidth);
PlotRange panned(PlotRange range, double delta, PlotRange limits);
/// The same width at the end of the limits.
PlotRange following(PlotRange range, PlotRange limits);

} // namespace rankscope::ui
