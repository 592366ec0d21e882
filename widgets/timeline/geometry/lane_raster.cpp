// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/lane_raster.h"

#include "widgets/theme/palette.h"

#include <cmath>
#include <numeric>

namespace rankscope::ui {

LaneRaster::LaneRaster(QImage& image, const TimelineColours& colours, TimeScale scale)
    : m_bits(reinterpret_cast<QRgb*>(image.bits())),
      m_stride(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb))), m_width(image.width()),
      m_height(image.height()), m_colours(colours), m_scale(scale) {
    for (std::size_t p = 0; p < kPhaseCount; ++p)
        m_phases[p] = colours.phases[p].rgb();
}

LaneRaster::LaneExtent LaneRaster::extent(std::int64_t beginNs, std::int64_t endNs) const {
    const double first = m_left, end = m_right;
    const double left = std::clamp(m_scale.x(static_cast<double>(beginNs)), first, end);
    const double right = std::clamp(m_scale.x(static_cast<double>(endNs)), first, end);
    LaneExtent x{static_cast<int>(std::floor(left)), static_cast<int>(std::floor(right))};
    x.left = std::min(x.left, m_right - 1);
    x.right = std::max(x.right, x.left + 1);
    return x;
}

void LaneRaster::fill(LaneExtent x, int top, int height, QRgb colour) {
    const int first = std::max(top, 0), rows = std::min(top + height, m_height) - first, width = x.right - x.left;
    if (rows <= 0)
        return;
    QRgb* to = line(first) + x.left;
    if (width == 1)
        for (int row = 0; row < rows; ++row, to += m_stride)
            *to = colour;
    else
        for (int row = 0; row < rows; ++row, to += m_stride)
            std::fill_n(to, width, colour);
}

void LaneRaster::fillPhase(LaneExtent x, int top, int height, std::size_t phase) {
    if (phase == static_cast<std::size_t>(telemetry::Phase::Barrier))
        hatch(x, top, height);
    else
        fill(x, top, height, m_phases[phase]);
}

void LaneRaster::stack(LaneExtent x, int bottom, int height, const std::array<float, kPhaseCount>& shares) {
    const auto heights = shareHeight(m_colours.joined(shares), height);
    for (std::size_t p = 0; p < kPhaseCount; ++p) {
        bottom -= heights[p];
        fillPhase(x, bottom, heights[p], p);
    }
}

void LaneRaster::hatch(LaneExtent x, int top, int height) {
    const QRgb ground = m_colours.waiting.rgb(), lines = m_colours.waitingHatch.rgb();
    const int first = std::max(top, 0), rows = std::min(top + height, m_height) - first;
    if (rows <= 0)
        return;
    int shift = (x.left + first) % kHatchApart; // 0: a line begins the row
    QRgb* to = line(first) + x.left;
    for (int row = 0; row < rows; ++row, to += m_stride) {
        for (int at = 0, left = shift; at < x.right - x.left; ++at) {
            to[at] = left == 0 ? lines : ground;
            left = left + 1 == kHatchApart ? 0 : left + 1;
        }
        shift = shift + 1 == kHatchApart ? 0 : shift + 1;
    }
}

template <class T> std::span<const T> LaneRaster::seen(const std::vector<T>& all) const {
    // spans of a lane hardly overlap: an earlier one that reaches into the window is among the few before it
    const double lo = m_part.lo, hi = m_part.hi;
    auto first =
        std::partition_point(all.begin(), all.end(), [&](const T& s) { return static_cast<double>(s.beginNs) < lo; });
    for (int back = 0; back < 64 && first != all.begin(); ++back)
        --first;
    const auto end =
        std::partition_point(first, all.end(), [&](const T& s) { return static_cast<double>(s.beginNs) <= hi; });
    return {first, end};
}

void LaneRaster::paintSums(const TimelineLane& lane, const LaneLayout& layout, int top) {
    const int waitTop = top + layout.collectiveTop();
    for (const TimelineSum& sum : seen(lane.sums)) {
        if (static_cast<double>(sum.endNs) < m_part.lo)
            continue;
        const LaneExtent x = extent(sum.beginNs, sum.endNs);
        const float known = std::accumulate(sum.share.begin(), sum.share.end(), 0.0F);
        if (known <= 0) {
            fill(x, top + layout.top, layout.phases, m_colours.step.rgb());
        } else {
            const int height = std::max(1, static_cast<int>(std::lround(std::min(known, 1.0F) * layout.phases)));
            stack(x, top + layout.top + layout.phases, height, sum.share);
        }
        const int waited = static_cast<int>(std::lround(sum.waitShare * layout.collectives));
        const int least = sum.waitShare > 0.01F ? std::max(waited, 1) : 0;
        hatch(x, waitTop + layout.collectives - least, least);
        if (sum.longest > 2) // one of these steps took much longer: the average must not hide it
            fill(x, top + layout.top, 2, m_colours.longest.rgb());
    }
}

void LaneRaster::paintPhases(const TimelineLane& lane, const LaneLayout& layout, int top) {
    const int y = top + layout.top;
    for (const TimelineSpan& span : seen(lane.phases)) {
        if (static_cast<double>(span.endNs) < m_part.lo)
            continue;
        LaneExtent x = extent(span.beginNs, span.endNs);
        fillPhase(x, y, layout.phases, std::min(static_cast<std::size_t>(span.phase), kPhaseCount - 1));
        if (!m_colours.overview && x.right - x.left >= 4 && m_scale.x(static_cast<double>(span.endNs)) < m_right)
            fill({x.right - 1, x.right}, y, layout.phases, m_colours.lane.rgb()); // separates it from what follows
    }
    for (const TimelineColumn& column : seen(lane.phaseColumns)) {
        if (static_cast<double>(column.endNs) < m_part.lo)
            continue;
        const LaneExtent x = extent(column.beginNs, column.endNs);
        stack(x, y + layout.phases, layout.phases, column.phaseNs);
    }
}

void LaneRaster::paintCollectives(const TimelineLane& lane, const LaneLayout& layout, int top) {
    for (const TimelineSpan& span : seen(lane.collectives)) {
        if (static_cast<double>(span.endNs) < m_part.lo)
            continue;
        const int y = top + layout.rowTop(span.row, lane.rows), height = layout.rowHeight(span.row, lane.rows);
        const LaneExtent whole = extent(span.beginNs, span.endNs);
        if (span.waitNs < 0 && m_colours.overview)
            hatch(whole, y, height);
        else
            fill(whole, y, height, (span.waitNs < 0 ? m_colours.unknownWait : m_colours.transfer).rgb());
        if (span.waitNs > 0 && m_scale.x(static_cast<double>(span.waitEndNs())) > m_left)
            hatch(extent(span.beginNs, span.waitEndNs()), y, height);
    }
    for (const TimelineColumn& column : seen(lane.collectiveColumns)) {
        if (static_cast<double>(column.endNs) < m_part.lo)
            continue;
        const LaneExtent x = extent(column.beginNs, column.endNs);
        const int y = top + layout.collectiveTop();
        const std::array<float, 2> parts{column.waitNs, column.restNs};
        const auto heights = shareHeight(parts, layout.collectives);
        if (heights[0] + heights[1] == 0) // none took a time that the clock could measure
            fill(x, y + layout.collectives - 2, 2, m_colours.transfer.rgb());
        hatch(x, y, heights[0]);
        fill(x, y + heights[0], heights[1], m_colours.transfer.rgb());
    }
}

void LaneRaster::clear(const LaneLayout& layout, int top) {
    const LaneExtent all{0, m_width};
    fill(all, top + layout.top, layout.phases, m_colours.lane.rgb());
    fill(all, top + layout.collectiveTop(), layout.collectives, m_colours.lane.rgb());
}

void LaneRaster::paint(const TimelineLane& lane, const LaneLayout& layout, int top, PlotRange part) {
    const double edge = m_width;
    m_part = {std::max(part.lo, m_scale.window.lo), std::min(part.hi, m_scale.window.hi)};
    m_left = static_cast<int>(std::floor(std::clamp(m_scale.x(m_part.lo), 0.0, edge)));
    m_right = static_cast<int>(std::ceil(std::clamp(m_scale.x(m_part.hi), 0.0, edge)));
    if (m_right <= m_left || m_part.hi <= m_part.lo)
        return;
    fill({m_left, m_right}, top + layout.top, layout.phases, m_colours.lane.rgb());
    fill({m_left, m_right}, top + layout.collectiveTop(), layout.collectives, m_colours.lane.rgb());
    paintSums(lane, layout, top);
    paintPhases(lane, layout, top);
    paintCollectives(lane, layout, top);
}

} // namespace rankscope::ui
