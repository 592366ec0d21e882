// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/curve_canvas.h"

#include <QSemaphore>
#include <QThreadPool>

#include <atomic>
#include <cmath>
#include <memory>

namespace rankscope::ui {

/// Computes pixels like QCPAxis::coordToPixel, but without its checks for each point.
void CurveCanvas::pixelsOf(const QCPGraph& graph, double scale, std::vector<RasterPoint>& points) const {
    const QCPAxis &x = *graph.keyAxis(), &y = *graph.valueAxis();
    const QRect rect = x.axisRect()->rect();
    const bool log = y.scaleType() == QCPAxis::stLogarithmic;
    const auto place = [log](double v) { return log ? std::log(v) : v; };
    const double low = place(y.range().lower), perY = (rect.height()) * scale / (place(y.range().upper) - low);
    const double perX = rect.width() * scale / x.range().size(), bottom = rect.height() * scale;
    // clamped, because nothing is visible outside the picture; NaN (a value below 0 on a log axis) stays a gap
    const double reach = 4 * bottom;
    points.clear();
    points.reserve(static_cast<std::size_t>(graph.dataCount()));
    const auto data = graph.data();
    for (auto it = data->constBegin(); it != data->constEnd(); ++it) {
        const double at = bottom - (place(it->value) - low) * perY;
        points.push_back(
            {(it->key - x.range().lower) * perX, std::isnan(at) ? at : std::clamp(at, -reach, bottom + reach)});
    }
}

bool CurveCanvas::setArea(Stroke& stroke, const QCPGraph& graph, double scale) const {
    stroke.area = true;
    if (!graph.channelFillGraph())
        return false;
    pixelsOf(graph, scale, stroke.points);
    pixelsOf(*graph.channelFillGraph(), scale, stroke.others);
    stroke.style.colour = graph.brush().color();
    return true;
}

void CurveCanvas::setLine(Stroke& stroke, const QCPGraph& graph, StrokeKind kind, double scale) const {
    pixelsOf(graph, scale, stroke.points);
    stroke.area = false;
    const QPen pen = graph.pen();
    stroke.style = {pen.color(), std::max(1.0, pen.widthF()) * scale, kind != Extent, {}};
    if (kind == Extent)
        stroke.style.width = 1;
    // if nearly every column has its own point there is no slope to follow
    if (static_cast<double>(stroke.points.size()) > 0.7 * m_image.width())
        stroke.style.smooth = false;
    if (pen.style() != Qt::SolidLine)
        for (const double d : pen.dashPattern())
            stroke.style.dashes << std::max(1.0, d * pen.widthF()) * scale;
    stroke.disc = graph.scatterStyle().isNone() ? 0 : graph.scatterStyle().size() * scale;
}

void CurveCanvas::drawColumns(QSize size, ColumnRaster::Range range, std::uint32_t* bits, std::ptrdiff_t stride) {
    ColumnRaster raster(size, m_columns, range);
    for (std::size_t i = 0; i < m_used; ++i) {
        const Stroke& stroke = m_strokes[i];
        if (stroke.area) {
            raster.fill(stroke.points, stroke.others, stroke.style.colour);
            continue;
        }
        raster.stroke(stroke.points, stroke.style);
        if (stroke.disc > 0)
            for (const auto& point : stroke.points)
                raster.disc(point, stroke.disc, stroke.style.colour);
    }
    raster.copyTo(bits, stride);
}

/// Draws with the help of another thread, which is possible because columns are independent. The thread takes parts as
/// long as there are any; if it starts too late, it finds none and touches nothing.
void CurveCanvas::drawShared(QSize size) {
    struct Share {
        std::atomic<int> next{0};
        QSemaphore done;
    };
    constexpr int kParts = 4;
    auto* bits = reinterpret_cast<std::uint32_t*>(m_image.bits());
    const std::ptrdiff_t stride = m_image.bytesPerLine() / 4;
    const auto share = std::make_shared<Share>();
    const auto work = [this, share, size, bits, stride] {
        for (int part = share->next++; part < kParts; part = share->next++) {
            drawColumns(size, {size.width() * part / kParts, size.width() * (part + 1) / kParts}, bits, stride);
            share->done.release();
        }
    };
    m_columns.resize(ColumnRaster::pixels(size));
    (void)QThreadPool::globalInstance()->tryStart(work); // if it fails, this thread draws everything
    work();
    share->done.acquire(kParts);
}

void CurveCanvas::draw(QCPPainter* painter) {
    if (painter->modes().testFlag(QCPPainter::pmVectorized))
        return;
    const QRect rect = mParentPlot->axisRect()->rect();
    const double scale = painter->device()->devicePixelRatioF();
    const QSize size = rect.size() * scale;
    if (size.isEmpty())
        return;
    if (m_image.size() != size)
        m_image = QImage(size, QImage::Format_ARGB32_Premultiplied);
    m_image.setDevicePixelRatio(scale);
    m_used = 0;
    for (const StrokeKind kind : {Area, Extent, Faint, Line})
        for (const DrawnGraph& entry : m_graphs) {
            if (entry.kind != kind || !entry.graph->visible() || entry.graph->dataCount() == 0)
                continue;
            if (m_used == m_strokes.size())
                m_strokes.emplace_back();
            if (kind != Area)
                setLine(m_strokes[m_used++], *entry.graph, kind, scale);
            else if (setArea(m_strokes[m_used], *entry.graph, scale))
                ++m_used;
        }
    drawShared(size);
    painter->drawImage(QPointF(rect.topLeft()), m_image);
}

} // namespace rankscope::ui
