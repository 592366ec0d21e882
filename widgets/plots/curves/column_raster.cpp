// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/column_raster.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace rankscope::ui {

// a column is contiguous here, so that many of its pixels are blended at a time
ColumnRaster::ColumnRaster(QSize size, std::vector<std::uint32_t>& columns, Range range)
    : m_columns(columns), m_height(size.height()), m_range(range) {
    std::fill(pixelAt(range.first, 0), pixelAt(range.end, 0), 0u);
}

static std::vector<std::uint32_t>& withRoom(std::vector<std::uint32_t>& columns, QSize size) {
    columns.resize(ColumnRaster::pixels(size));
    return columns;
}

ColumnRaster::ColumnRaster(QSize size, std::vector<std::uint32_t>& columns)
    : ColumnRaster(size, withRoom(columns, size), Range{0, size.width()}) {}

/// Transposes four columns of four pixels each into rows.
static void turn(const std::uint32_t* columns, std::ptrdiff_t height, std::uint32_t* rows, std::ptrdiff_t stride) {
    using Four [[gnu::vector_size(16)]] = std::uint32_t;
    Four c[4];
    for (int i = 0; i < 4; ++i)
        std::memcpy(&c[i], columns + i * height, sizeof c[i]);
    const Four a = __builtin_shufflevector(c[0], c[1], 0, 4, 1, 5), b = __builtin_shufflevector(c[2], c[3], 0, 4, 1, 5);
    const Four d = __builtin_shufflevector(c[0], c[1], 2, 6, 3, 7), e = __builtin_shufflevector(c[2], c[3], 2, 6, 3, 7);
    const Four turned[4] = {__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
                            __builtin_shufflevector(d, e, 0, 1, 4, 5), __builtin_shufflevector(d, e, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i)
        std::memcpy(rows + i * stride, &turned[i], sizeof turned[i]);
}

void ColumnRaster::copyTo(std::uint32_t* bits, std::ptrdiff_t stride) const {
    constexpr int kTile = 16; // a cache line of pixels
    const int bottom = m_height / 4 * 4;
    for (int x0 = m_range.first; x0 < m_range.end; x0 += kTile) {
        const int end = std::min(x0 + kTile, m_range.end), whole = x0 + (end - x0) / 4 * 4;
        for (int y = 0; y < bottom; y += 4) {
            for (int x = x0; x < whole; x += 4)
                turn(pixelAt(x, y), m_height, bits + y * stride + x, stride);
            for (int x = whole; x < end; ++x)
                for (int i = y; i < y + 4; ++i)
                    bits[i * stride + x] = *pixelAt(x, i);
        }
        for (int y = bottom; y < m_height; ++y)
            for (int x = x0; x < end; ++x)
                bits[y * stride + x] = *pixelAt(x, y);
    }
}

void ColumnRaster::setColour(const QColor& colour) {
    m_colour = qPremultiply(colour.rgba());
}

/// Scales two channels with each multiplication: every product has 16 bits.
static std::uint32_t scaled(std::uint32_t pixel, std::uint32_t by256) {
    const std::uint32_t odd = (pixel >> 8 & 0xff00ff) * by256, even = (pixel & 0xff00ff) * by256;
    return (odd & 0xff00ff00) | (even >> 8 & 0xff00ff);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx2", "default")))
#endif
static void
blendRun(std::uint32_t* pixel, int count, std::uint32_t colour) {
    const std::uint32_t rest = 256 - (colour >> 24);
    for (int i = 0; i < count; ++i)
        pixel[i] = colour +
                   (((pixel[i] >> 8 & 0xff00ff) * rest & 0xff00ff00) | ((pixel[i] & 0xff00ff) * rest >> 8 & 0xff00ff));
}

void ColumnRaster::blend(std::uint32_t& pixel, std::uint32_t coverage) const {
    const std::uint32_t mine = scaled(m_colour, coverage);
    pixel = mine + scaled(pixel, 256 - (mine >> 24));
}

/// Blends one interval, whose rows at both ends are partly covered and the others fully.
void ColumnRaster::blendInterval(int x, const RasterInterval& covered) {
    if (x < m_range.first || x >= m_range.end || covered.empty())
        return;
    const double lo = std::clamp(covered.lo, 0.0, static_cast<double>(m_height));
    const double hi = std::clamp(covered.hi, 0.0, static_cast<double>(m_height));
    int top = static_cast<int>(lo);
    const int bottom = static_cast<int>(hi);
    std::uint32_t* column = pixelAt(x, 0);
    const auto part = [&](int y, double share) {
        if (const auto coverage = static_cast<std::uint32_t>(share * 256); coverage > 0)
            blend(column[y], coverage);
    };
    if (top == bottom)
        return part(top, hi - lo);
    if (lo > top) {
        part(top, top + 1 - lo);
        ++top;
    }
    blendWhole(column + top, bottom - top);
    part(bottom, hi - bottom);
}

void ColumnRaster::blendWhole(std::uint32_t* pixel, int count) {
    if (m_colour >> 24 == 0xff)
        std::fill_n(pixel, count, m_colour);
    else
        blendRun(pixel, count, m_colour);
}

void ColumnRaster::blendColumn(std::int64_t x, const RasterInterval& a, const RasterInterval& b) {
    if (x < m_range.first || x >= m_range.end || (a.empty() && b.empty()))
        return;
    // truncation equals the floor of a value that is not negative, and is far cheaper
    const auto row = [this](double y) { return static_cast<int>(std::clamp(y, 0.0, static_cast<double>(m_height))); };
    const auto above = [&](double y) { return std::min(m_height, row(y) + (y > row(y))); };
    const double lo = a.empty() ? b.lo : b.empty() ? a.lo : std::min(a.lo, b.lo);
    const double hi = a.empty() ? b.hi : b.empty() ? a.hi : std::max(a.hi, b.hi);
    const int top = row(lo), bottom = above(hi);
    // rows that both parts cover fully
    int fullTop = bottom, fullBottom = bottom;
    if (!a.empty() && !b.empty()) {
        fullTop = std::clamp(above(std::max(a.lo, b.lo)), top, bottom);
        fullBottom = std::clamp(row(std::min(a.hi, b.hi)), fullTop, bottom);
    }
    const auto share = [](const RasterInterval& i, int y) {
        return i.empty() ? 0.0 : std::clamp(std::min(i.hi, y + 1.0) - std::max<double>(i.lo, y), 0.0, 1.0);
    };
    const auto edges = [&](int from, int to) {
        std::uint32_t* pixel = pixelAt(static_cast<int>(x), from);
        for (int y = from; y < to; ++y, ++pixel)
            if (const auto c = static_cast<std::uint32_t>((share(a, y) + share(b, y)) * 128); c > 0)
                blend(*pixel, c);
    };
    // rows that one part covers fully and the other not at all
    const std::uint32_t half = scaled(m_colour, 128);
    const auto halves = [&](int from, int to, double upper, double lower) {
        const int first = std::clamp(above(upper), from, to), last = std::clamp(row(lower), first, to);
        edges(from, first);
        blendRun(pixelAt(static_cast<int>(x), first), last - first, half);
        edges(last, to);
    };
    if (a.empty() || b.empty())
        return halves(top, bottom, lo, hi);
    const RasterInterval &upper = a.lo <= b.lo ? a : b, &lower = a.hi >= b.hi ? a : b;
    halves(top, fullTop, upper.lo, std::min(upper.hi, std::max(a.lo, b.lo)));
    blendWhole(pixelAt(static_cast<int>(x), fullTop), fullBottom - fullTop);
    halves(fullBottom, bottom, std::max(lower.lo, std::min(a.hi, b.hi)), lower.hi);
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

void ColumnRaster::flush(RasterColumn& column, const Style& style) {
    if (column.at != INT64_MIN && (style.dashes.isEmpty() || isOn(static_cast<double>(column.at), style.dashes)))
        style.smooth ? blendColumn(column.at, column.parts[0], column.parts[1])
                     : blendInterval(static_cast<int>(column.at), column.parts[0]);
    column = RasterColumn();
}

void ColumnRaster::cover(double x, double y0, double y1, const Style& style, RasterColumn& column) {
    const auto at = static_cast<std::int64_t>(x); // never below 0
    if (at != column.at) {
        flush(column, style);
        column.at = at;
    }
    column.parts[style.smooth && x - static_cast<double>(at) >= 0.5 ? 1 : 0].add(y0, y1);
}

/// Splits [from, to) into parts of at most `part` of a column each.
template <class Take> static void eachPart(double from, double to, double part, const Take& take) {
    for (double x = from; x < to;) {
        const double next = std::min(to, static_cast<double>(static_cast<std::int64_t>(x / part) + 1) * part);
        take(x, next);
        x = next;
    }
}

/// Follows the line from a to b within the range.
template <class Put>
static void walk(const RasterPoint& a, const RasterPoint& b, ColumnRaster::Range range, double part, const Put& put) {
    const double slope = (b.y - a.y) / (b.x - a.x), from = std::max(a.x, static_cast<double>(range.first));
    double y = a.y + slope * (from - a.x);
    eachPart(from, std::min(b.x, static_cast<double>(range.end)), part, [&](double x, double next) {
        const double after = a.y + slope * (next - a.x);
        put(x, y, after);
        y = after;
    });
}

/// Draws a segment as whole columns. The line has the requested width across; a steep one has the column's width.
void ColumnRaster::columnSegment(const RasterPoint& a, const RasterPoint& b, const Style& style, RasterColumn& column) {
    const double dx = b.x - a.x, dy = b.y - a.y;
    // limited to twice the half width, which is reached at a slope of √3
    const double half = dx <= 1e-9 ? style.width / 2
                        : std::abs(dy) >= std::numbers::sqrt3 * dx
                            ? style.width
                            : style.width / 2 * std::sqrt(1 + dy * dy / (dx * dx));
    const auto put = [&](double x, double y0, double y1) {
        cover(x, std::min(y0, y1) - half, std::max(y0, y1) + half, style, column);
    };
    // neighbours a column apart: the step between them belongs to the second one
    if (dx <= 1.5) {
        if (b.x >= m_range.first && b.x < m_range.end)
            put(b.x, a.y, b.y);
        return;
    }
    walk(a, b, m_range, 1, put);
}

void ColumnRaster::segment(const RasterPoint& a, const RasterPoint& b, const Style& style, RasterColumn& column) {
    if (!style.smooth)
        return columnSegment(a, b, style, column);
    constexpr double kPart = 0.5; // of a column
    const double dx = b.x - a.x, slope = dx > 1e-9 ? (b.y - a.y) / dx : 0;
    // the requested width across the line, less what its path through a part already covers; where points are dense, a
    // steep line has the column's width
    constexpr double kSparse = 4; // pixels from point to point
    const double across = style.width / 2 * std::sqrt(1 + slope * slope);
    const bool sparse = dx >= kSparse;
    const double half = sparse ? across - kPart / 2 * std::abs(slope) : std::min(across, style.width);
    // a steep line's ends are no higher than a flat one's
    const double top = std::min(a.y, b.y) - style.width / 2, bottom = std::max(a.y, b.y) + style.width / 2;
    const auto put = [&](double x, double y0, double y1) {
        const double lo = std::min(y0, y1) - half, hi = std::max(y0, y1) + half;
        cover(x, sparse ? std::max(lo, top) : lo, sparse ? std::min(hi, bottom) : hi, style, column);
    };
    if (dx <= 1e-9)
        return a.x >= 0 ? put(a.x, a.y, b.y) : void();
    walk(a, b, m_range, kPart, put);
}

void ColumnRaster::stroke(std::span<const RasterPoint> points, const Style& style) {
    setColour(style.colour);
    const auto isThere = [&](std::size_t i) { return i < points.size() && std::isfinite(points[i].y); };
    // from the last point before the range to the first one after it
    const auto before = [](const RasterPoint& point, int x) { return point.x < x; };
    const auto first = std::lower_bound(points.begin(), points.end(), m_range.first, before) - points.begin();
    const auto end = std::lower_bound(points.begin() + first, points.end(), m_range.end, before) - points.begin();
    RasterColumn column;
    for (auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(first - 1, 0)); i < static_cast<std::size_t>(end);
         ++i) {
        if (!isThere(i))
            continue;
        if (isThere(i + 1))
            segment(points[i], points[i + 1], style, column);
        else if (i == 0 || !isThere(i - 1))
            for (const double x : {std::max(points[i].x, 0.0), std::max(points[i].x, 0.0) + 0.5})
                cover(x, points[i].y - style.width / 2, points[i].y + style.width / 2, style, column);
    }
    flush(column, style);
}

void ColumnRaster::fill(std::span<const RasterPoint> upper, std::span<const RasterPoint> lower, const QColor& colour) {
    setColour(colour);
    const Style style{colour, 0, false, {}};
    RasterColumn column;
    const std::size_t n = std::min(upper.size(), lower.size());
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double dx = upper[i + 1].x - upper[i].x;
        const double from = std::max(upper[i].x, static_cast<double>(m_range.first));
        const double to = std::min(upper[i + 1].x, static_cast<double>(m_range.end));
        const auto at = [&](std::span<const RasterPoint> line, double where) {
            return dx > 1e-9 ? line[i].y + (line[i + 1].y - line[i].y) * (where - line[i].x) / dx : line[i].y;
        };
        eachPart(from, to, 1, [&](double x, double next) {
            cover(x, std::min(at(upper, x), at(upper, next)), std::max(at(lower, x), at(lower, next)), style, column);
        });
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
            const auto coverage = static_cast<std::uint32_t>(256 * std::clamp(radius + 0.5 - away, 0.0, 1.0));
            if (coverage > 0 && x >= m_range.first && x < m_range.end && y >= 0 && y < m_height)
                blend(*pixelAt(x, y), coverage);
        }
}

} // namespace rankscope::ui
