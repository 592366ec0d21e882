// SPDX-License-Identifier: GPL-3.0-or-later
// Draws dense curves into an image, pixel column by pixel column. A curve with a point in each column is one interval
// of pixels per column; a general path stroker takes a hundred times as long.
#pragma once

#include <QColor>
#include <QImage>
#include <QList>

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

struct RasterPoint {
    double x = 0, y = 0; ///< device pixels of the image; a y that is not finite is a gap
};

class ColumnRaster {
public:
    /// Pixel columns [first, end) of a picture.
    struct Range {
        int first = 0, end = 0;
    };
    /// Starts empty. `columns` is its memory, which the caller keeps from frame to frame.
    ColumnRaster(QSize size, std::vector<std::uint32_t>& columns);
    /// Draws only these columns, so that several threads can share a picture; `columns` has room for the whole picture.
    ColumnRaster(QSize size, std::vector<std::uint32_t>& columns, Range range);
    static std::size_t pixels(QSize size) {
        return static_cast<std::size_t>(size.width()) * static_cast<std::size_t>(size.height());
    }
    /// Copies the picture to the bits of an image of the same size and Format_ARGB32_Premultiplied; `stride` in pixels.
    void copyTo(std::uint32_t* bits, std::ptrdiff_t stride) const;
    void copyTo(QImage& image) const {
        copyTo(reinterpret_cast<std::uint32_t*>(image.bits()), image.bytesPerLine() / 4);
    }

    struct Style {
        QColor colour;
        double width = 1;    ///< device pixels
        bool smooth = true;  ///< edges follow the slope; otherwise whole columns, as for vertical strokes
        QList<qreal> dashes; ///< on, off, … in pixels along x; empty: solid
    };
    /// Draws a line through points in ascending x; a point between two gaps is drawn as a dot.
    void stroke(std::span<const RasterPoint> points, const Style& style);
    /// Fills the area between two lines that have their points at the same x.
    void fill(std::span<const RasterPoint> upper, std::span<const RasterPoint> lower, const QColor& colour);
    void disc(const RasterPoint& centre, double diameter, const QColor& colour);

private:
    struct RasterInterval {
        double lo = 1, hi = 0;
        bool empty() const { return lo > hi; }
        void add(double a, double b) {
            if (empty()) {
                lo = a < b ? a : b;
                hi = a < b ? b : a;
                return;
            }
            lo = a < lo ? a : b < lo ? b : lo;
            hi = a > hi ? a : b > hi ? b : hi;
        }
    };
    /// The coverage of one column, collected until the next column begins.
    struct RasterColumn {
        std::int64_t at = INT64_MIN;
        RasterInterval parts[2];
    };

    void setColour(const QColor& colour);
    void segment(const RasterPoint& a, const RasterPoint& b, const Style& style, RasterColumn& column);
    void columnSegment(const RasterPoint& a, const RasterPoint& b, const Style& style, RasterColumn& column);
    void cover(double x, double y0, double y1, const Style& style, RasterColumn& column);
    void flush(RasterColumn& column, const Style& style);
    void blendInterval(int x, const RasterInterval& covered);
    void blendWhole(std::uint32_t* pixel, int count);
    void blendColumn(std::int64_t x, const RasterInterval& a, const RasterInterval& b);
    void blend(std::uint32_t& pixel, std::uint32_t coverage) const; ///< 0 to 256

    std::uint32_t* pixelAt(int x, int y) const {
        return m_columns.data() + static_cast<std::ptrdiff_t>(x) * m_height + y;
    }

    std::vector<std::uint32_t>& m_columns;
    int m_height;
    Range m_range;
    std::uint32_t m_colour = 0; ///< premultiplied
};

} // namespace rankscope::ui
