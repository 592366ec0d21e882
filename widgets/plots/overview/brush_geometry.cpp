// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/overview/brush_geometry.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

double BrushGeometry::toPixel(double x) const {
    return whole.width() > 0 ? left + (x - whole.lo) / whole.width() * (right - left) : left;
}

double BrushGeometry::toX(double pixel) const {
    return right > left ? whole.lo + (pixel - left) / (right - left) * whole.width() : whole.lo;
}

double BrushGeometry::windowLeft() const {
    const double a = toPixel(window.lo), b = toPixel(window.hi);
    const double grown = b - a >= kMinWindowPx ? a : (a + b - kMinWindowPx) / 2;
    return std::clamp(grown, left, std::max(left, right - kMinWindowPx));
}

double BrushGeometry::windowRight() const {
    const double a = toPixel(window.lo), b = toPixel(window.hi);
    return std::min(right,
                    std::max(windowLeft() + kMinWindowPx, b - a >= kMinWindowPx ? b : (a + b + kMinWindowPx) / 2));
}

BrushGeometry::Part BrushGeometry::partAt(double pixel) const {
    const double l = windowLeft(), r = windowRight();
    const bool all = window.lo <= whole.lo && window.hi >= whole.hi;
    if (std::abs(pixel - l) <= kHandlePx && std::abs(pixel - l) <= std::abs(pixel - r))
        return Part::Left;
    if (std::abs(pixel - r) <= kHandlePx)
        return Part::Right;
    if (pixel > l && pixel < r)
        return all ? Part::Outside : Part::Window; // nothing to move: a drag brushes anew
    return pixel >= left - kHandlePx && pixel <= right + kHandlePx ? Part::Outside : Part::None;
}

PlotRange BrushGeometry::dragged(Part part, PlotRange start, double from, double to, double minWidth) const {
    const double delta = toX(to) - toX(from);
    switch (part) {
    case Part::Left:
        return clamped({std::clamp(start.lo + delta, whole.lo, std::max(whole.lo, start.hi - minWidth)), start.hi},
                       whole, minWidth);
    case Part::Right:
        return clamped({start.lo, std::clamp(start.hi + delta, std::min(whole.hi, start.lo + minWidth), whole.hi)},
                       whole, minWidth);
    case Part::Window:
        return panned(start, delta, whole);
    case Part::Outside: {
        const double a = std::clamp(toX(from), whole.lo, whole.hi);
        const double b = std::clamp(toX(to), whole.lo, whole.hi);
        return clamped({std::min(a, b), std::max(a, b)}, whole, minWidth);
    }
    case Part::None:
        break;
    }
    return start;
}

} // namespace rankscope::ui
