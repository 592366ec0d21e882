// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/column_raster.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

ColumnRaster::ColumnRaster(QImage& image)
    : m_bits(reinterpret_cast<std::uint32_t*>(image.bits())), m_stride(image.bytesPerLine() / 4),
      m_width(image.width()), m_height(image.height()) {}

void ColumnRaster::setColour(const QColor& colour) {
    const QRgb rgb = qPremultiply(colour.rgba());
    m_red = static_cast<std::uint32_t>(qRed(rgb));
    m_green = static_cast<std::uint32_t>(qGreen(rgb));
    m_blue = static_cast<std::uint32_t>(qBlue(rgb));
    m_alpha = static_cast<std::uint32_t>(qAlpha(rgb));
}

void ColumnRaster::blend(std::uint32_t& pixel, double coverage) const {
    const auto c = static_cast<std::uint32_t>(coverage * 256);
    const std::uint32_t rest = 255 - (m_alpha * c >> 8);
    const auto channel = [&](std::uint32_t mine, int shift) {
        const std::uint32_t under = pixel >> shift & 0xff;
        return std::min<std::uint32_t>((mine * c >> 8) + (under * rest + 127) / 255, 255) << shift;
    };
    pixel = channel(m_alpha, 24) | channel(m_red, 16) | channel(m_green, 8) | channel(m_blue, 0);
}

void ColumnRaster::blendColumn(std::int64_t x, const Interval& a, const Interval& b) {
    if (x < 0 || x >= m_width || (a.empty() && b.empty()))
        return;
    const double lo = a.empty() ? b.lo : b.empty() ? a.lo : std::min(a.lo, b.lo);
    const double hi = a.empty() ? b.hi : b.empty() ? a.hi : std::max(a.hi, b.hi);
    const int top = static_cast<int>(std::clamp(std::floor(lo), 0.0, static_cast<double>(m_height)));
    const int bottom = static_cast<int>(std::clamp(std::ceil(hi), 0.0, static_cast<double>(m_height)));
    const auto share = [](const Interval& i, int y) {
        return i.empty() ? 0.0 : std::clamp(std::min(i.hi, y + 1.0) - std::max<double>(i.lo, y), 0.0, 1.0);
    };
    for (int y = top; y < bottom; ++y)
        if (const double coverage = (share(a, y) + share(b, y)) / 2; coverage > 0.004)
            blend(m_bits[y * m_stride + x], coverage);
}

static bool isOn(double x, const QList<qreal>& dashes) {
    double period = 0;
    for (const double d : dashes)
        period += d;
    if (period <= 0)
        return true;
    double at = std::fmod(x, period);
    for (int i = 0; i < dashes.size(); ++i) {
        if (at < dashes[i])
            return i % 2 == 0;
        at -= dashes[i];
    }
    return true;
}

void ColumnRaster::flush(Column& column, const Style& style) {
    if (column.at != INT64_MIN && (style.dashes.isEmpty() || isOn(static_cast<double>(column.at), style.dashes)))
        blendColumn(column.at, column.parts[0], column.parts[style.smooth ? 1 : 0]);
    column = Column();
}

void ColumnRaster::cover(double x, double y0, double y1, const Style& style, Column& column) {
    const auto at = static_cast<std::int64_t>(std::floor(x));
    if (at != column.at) {
        flush(column, style);
        column.at = at;
    }
    column.parts[style.smooth && x - static_cast<double>(at) >= 0.5 ? 1 : 0].add(y0, y1);
}

void ColumnRaster::segment(const RasterPoint& a, const RasterPoint& b, const Style& style, Column& column) {
    const double part = style.smooth ? 0.5 : 1.0;
    const double dx = b.x - a.x, slope = dx > 1e-9 ? (b.y - a.y) / dx : 0;
    // as wide across the line as it is asked for; a steep one has its width from the column
    const double half = style.width / 2 * std::min(std::sqrt(1 + slope * slope), 2.0);
    const auto put = [&](double x, double y0, double y1) {
        cover(x, std::min(y0, y1) - half, std::max(y0, y1) + half, style, column);
    };
    if (dx <= 1e-9)
        return put(a.x, a.y, b.y);
    const double from = std::max(a.x, 0.0), to = std::min(b.x, static_cast<double>(m_width));
    double x = from;
    while (x < to) {
        const double next = std::min(to, (std::floor(x / part) + 1) * part);
        put(x, a.y + slope * (x - a.x), a.y + slope * (next - a.x));
        if (next <= x)
            break;
        x = next;
    }
}

void ColumnRaster::stroke(std::span<const RasterPoint> points, const Style& style) {
    setColour(style.colour);
    Column column;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!std::isfinite(points[i].y))
            continue;
        const bool before = i > 0 && std::isfinite(points[i - 1].y);
        const bool after = i + 1 < points.size() && std::isfinite(points[i + 1].y);
        if (after)
            segment(points[i], points[i + 1], style, column);
        else if (!before)
            for (const double x : {points[i].x, points[i].x + 0.5})
                cover(x, points[i].y - style.width / 2, points[i].y + style.width / 2, style, column);
    }
    flush(column, style);
}

void ColumnRaster::fill(std::span<const RasterPoint> upper, std::span<const RasterPoint> lower, const QColor& colour) {
    setColour(colour);
    const Style style{colour, 0, false, {}};
    Column column;
    const std::size_t n = std::min(upper.size(), lower.size());
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double dx = upper[i + 1].x - upper[i].x;
        double x = std::max(upper[i].x, 0.0);
        const double to = std::min(upper[i + 1].x, static_cast<double>(m_width));
        const auto at = [&](std::span<const RasterPoint> line, double where) {
            return dx > 1e-9 ? line[i].y + (line[i + 1].y - line[i].y) * (where - line[i].x) / dx : line[i].y;
        };
        while (x < to) {
            const double next = std::min(to, std::floor(x) + 1);
            cover(x, std::min(at(upper, x), at(upper, next)), std::max(at(lower, x), at(lower, next)), style, column);
            x = next;
        }
    }
    flush(column, style);
}

void ColumnRaster::disc(const RasterPoint& centre, double diameter, const QColor& colour) {
    if (!std::isfinite(centre.y))
        return;
    setColour(colour);
    const double radius = diameter / 2;
    for (int y = static_cast<int>(std::floor(centre.y - radius)); y <= centre.y + radius; ++y)
        for (int x = static_cast<int>(std::floor(centre.x - radius)); x <= centre.x + radius; ++x) {
            const double away = std::hypot(x + 0.5 - centre.x, y + 0.5 - centre.y);
            const double coverage = std::clamp(radius + 0.5 - away, 0.0, 1.0);
            if (coverage > 0 && x >= 0 && x < m_width && y >= 0 && y < m_height)
                blend(m_bits[y * m_stride + x], coverage);
        }
}

} // namespace rankscope::ui
