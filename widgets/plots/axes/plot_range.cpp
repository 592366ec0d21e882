// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/plot_range.h"

#include <algorithm>

namespace rankscope::ui {

PlotRange clamped(PlotRange range, PlotRange limits, double minWidth) {
    if (range.hi < range.lo)
        std::swap(range.lo, range.hi);
    double width = std::max(range.width(), minWidth);
    if (width >= limits.width())
        return limits;
    if (width > range.width()) {
        const double middle = (range.lo + range.hi) / 2;
        range = {middle - width / 2, middle + width / 2};
    }
    if (range.lo < limits.lo)
        range = {limits.lo, limits.lo + width};
    if (range.hi > limits.hi)
        range = {limits.hi - width, limits.hi};
    return range;
}

PlotRange zoomed(PlotRange range, double centre, double factor, PlotRange limits, double minWidth) {
    centre = std::clamp(centre, range.lo, range.hi);
    const double smallest = std::min(minWidth, limits.width());
    if (range.width() * factor < smallest && range.width() > 0)
        factor = smallest / range.width();
    return clamped({centre - (centre - range.lo) * factor, centre + (range.hi - centre) * factor}, limits, minWidth);
}

PlotRange panned(PlotRange range, double delta, PlotRange limits) {
    return clamped({range.lo + delta, range.hi + delta}, limits, 0);
}

PlotRange following(PlotRange range, PlotRange limits) {
    return clamped({limits.hi - range.width(), limits.hi}, limits, 0);
}

} // namespace rankscope::ui
