// SPDX-License-Identifier: GPL-3.0-or-later
// Paints lanes pixel by pixel into an image, so that the cost depends on its pixels, not on some hundred thousand
// spans.
//
// Order: sums first, then single spans, then columns of spans that are shorter than a pixel. A column's
// height is divided among its kinds in proportion to their time, with at least one pixel for each kind:
// a rare phase stays visible, and a long one is never merged (span_merger.h).
#pragma once

#include "widgets/models/timeline/timeline_data.h"
#include "widgets/timeline/geometry/timeline_colours.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QImage>

#include <algorithm>
#include <array>
#include <span>

namespace rankscope::ui {

/// Returns heights in pixels that add up to `height`, in proportion to `weights`. Each weight above 0 gets at least 1;
/// if there are more of them than pixels, the largest ones do.
template <std::size_t N> std::array<int, N> shareHeight(const std::array<float, N>& weights, int height) {
    std::array<int, N> heights{};
    std::array<std::size_t, N> order{};
    std::size_t kinds = 0;
    float sum = 0;
    for (std::size_t i = 0; i < N; ++i) { // the largest first
        if (!(weights[i] > 0))
            continue;
        sum += weights[i];
        std::size_t at = kinds++;
        for (; at > 0 && weights[order[at - 1]] < weights[i]; --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
    int left = height;
    for (std::size_t k = kinds; k-- > 0;) { // smallest first: each gets at least one pixel
        const int larger = static_cast<int>(k);
        if (larger >= height)
            continue;
        const int fair =
            (static_cast<int>(2 * weights[order[k]] / sum * static_cast<float>(height)) + 1) / 2; // rounded
        heights[order[k]] = std::clamp(fair, 1, std::max(left - larger, 1));
        left -= heights[order[k]];
    }
    if (kinds > 0)
        heights[order.front()] += left;
    return heights;
}

class LaneRaster {
public:
    /// `image` is RGB32 or ARGB32; all coordinates are its pixels.
    LaneRaster(QImage& image, const TimelineColours& colours, TimeScale scale);

    /// Paints a lane whose top is at `top` in the image. Only `part`, in ns, is touched.
    void paint(const TimelineLane& lane, const LaneLayout& layout, int top, PlotRange part);
    void clear(const LaneLayout& layout, int top);

private:
    struct LaneExtent {
        int left = 0, right = 0; ///< [left, right), clipped; at least one pixel if it is in the part
    };
    LaneExtent extent(std::int64_t beginNs, std::int64_t endNs) const;
    void fill(LaneExtent x, int top, int height, QRgb colour);
    void hatch(LaneExtent x, int top, int height);
    /// Fills with a phase's colour; a barrier is hatched, as all waiting.
    void fillPhase(LaneExtent x, int top, int height, std::size_t phase);
    /// Draws the phases' shares above each other, from `bottom` up.
    void stack(LaneExtent x, int bottom, int height, const std::array<float, kPhaseCount>& shares);
    void paintSums(const TimelineLane& lane, const LaneLayout& layout, int top);
    void paintPhases(const TimelineLane& lane, const LaneLayout& layout, int top);
    void paintCollectives(const TimelineLane& lane, const LaneLayout& layout, int top);
    /// Returns the elements of a vector, ascending by begin, that may be visible.
    template <class T> std::span<const T> seen(const std::vector<T>& all) const;

    QRgb* line(int y) const { return m_bits + static_cast<std::ptrdiff_t>(y) * m_stride; }

    QRgb* m_bits; ///< of the image; looked up only once, not for each of some million pixels
    std::ptrdiff_t m_stride;
    int m_width, m_height;
    const TimelineColours& m_colours;
    TimeScale m_scale;
    PlotRange m_part;
    int m_left = 0, m_right = 0; ///< pixels of the part
    std::array<QRgb, kPhaseCount> m_phases{};
};

} // namespace rankscope::ui
