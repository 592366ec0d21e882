// SPDX-License-Identifier: GPL-3.0-or-later
// The overview strip: pixels to x and back, and what a press at a pixel takes hold of.
#pragma once

#include "widgets/plots/axes/plot_range.h"

namespace rankscope::ui {

struct BrushGeometry {
    enum class Part { None, Left, Right, Window, Outside };

    static constexpr double kHandlePx = 6; ///< how near to an edge takes it
    static constexpr double kMinWindowPx = 8;

    double left = 0, right = 1; ///< pixels of the strip's content
    PlotRange whole, window;

    double toPixel(double x) const;
    double toX(double pixel) const;
    /// Edges of the window as drawn: never so narrow that it cannot be taken.
    double windowLeft() const;
    double windowRight() const;
    Part partAt(double pixel) const;
    /// The window when `part` was pressed at `from` (with `start` as window) and the pointer is at `to`.
    PlotRange dragged(Part part, PlotRange start, double from, double to, double minWidth) const;
};

} // namespace rankscope::ui
