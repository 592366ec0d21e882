// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curve_canvas.h"

#include <cmath>

namespace rankscope::ui {

/// As QCPAxis::coordToPixel, without its questions at each point.
void CurveCanvas::pixelsOf(const QCPGraph& graph, double scale, std::vector<RasterPoint>& points) const {
    const QCPAxis &x = *graph.keyAxis(), &y = *graph.valueAxis();
    const QRect rect = x.axisRect()->rect();
    const bool log = y.scaleType() == QCPAxis::stLogarithmic;
    const auto place = [log](double v) { return log ? std::log(v) : v; };
    const double low = place(y.range().lower), perY = (rect.height()) * scale / (place(y.range().upper) - low);
    const double perX = rect.width() * scale / x.range().size(), bottom = rect.height() * scale;
    // beyond the picture nothing is seen; NaN of a value below 0 on a log axis stays a gap
    const double reach = 4 * bottom;
    points.clear();
    points.reserve(static_cast<std::size_t>(graph.dataCount()));
    const auto data = graph.data();
    for (auto it = data->constBegin(); it != data->constEnd(); ++it) {
        const double at = bottom - (place(it->value) - low) * perY;
        points.push_back({(it->key - x.range().lower) * perX,
                          std::isnan(at) ? at : std::clamp(at, -reach, bottom + reach)});
    }
}

void CurveCanvas::drawArea(ColumnRaster& raster, const QCPGraph& graph, double scale) {
    if (!graph.channelFillGraph())
        return;
    pixelsOf(graph, scale, m_points);
    pixelsOf(*graph.channelFillGraph(), scale, m_others);
    raster.fill(m_points, m_others, graph.brush().color());
}

void CurveCanvas::drawLine(ColumnRaster& raster, const QCPGraph& graph, Kind kind, double scale) {
    pixelsOf(graph, scale, m_points);
    const QPen pen = graph.pen();
    ColumnRaster::Style style{pen.color(), std::max(1.0, pen.widthF()) * scale, kind != Extent, {}};
    if (kind == Extent)
        style.width = 1;
    // where nearly each column has its own point there is no slope to follow
    if (static_cast<double>(m_points.size()) > 0.7 * m_image.width())
        style.smooth = false;
    if (pen.style() != Qt::SolidLine)
        for (const double d : pen.dashPattern())
            style.dashes << std::max(1.0, d * pen.widthF()) * scale;
    raster.stroke(m_points, style);
    if (graph.scatterStyle().isNone())
        return;
    for (const auto& point : m_points)
        raster.disc(point, graph.scatterStyle().size() * scale, pen.color());
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
    ColumnRaster raster(size, m_columns);
    for (const Kind kind : {Area, Extent, Faint, Line})
        for (const Entry& entry : m_graphs) {
            if (entry.kind != kind || !entry.graph->visible() || entry.graph->dataCount() == 0)
                continue;
            if (kind == Area)
                drawArea(raster, *entry.graph, scale);
            else
                drawLine(raster, *entry.graph, kind, scale);
        }
    raster.copyTo(m_image);
    painter->drawImage(QPointF(rect.topLeft()), m_image);
}

} // namespace rankscope::ui
