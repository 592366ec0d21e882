// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/rank_curves.h"

#include "widgets/theme/theme.h"

#include <algorithm>
#include <initializer_list>

namespace rankscope::ui {

namespace {

using Data = QVector<QCPGraphData>;

void give(QCPGraph* graph, const Data& data) {
    auto container = QSharedPointer<QCPGraphDataContainer>::create();
    container->set(data, true);
    graph->setData(container);
}

Data lineOf(const Samples& samples, double floor) {
    Data data;
    data.reserve(static_cast<qsizetype>(samples.size()));
    for (const auto& s : samples)
        data.append(QCPGraphData(s.x, s.isGap() ? qQNaN() : std::max(s.mean, floor)));
    return data;
}

/// Returns one stroke up or down per bucket, joined at alternating ends.
Data envelopeOf(const Samples& samples, double floor) {
    Data data;
    bool up = true;
    for (const auto& s : samples) {
        if (!s.isBucket() || s.isGap()) {
            if (!data.isEmpty())
                data.append(QCPGraphData(s.x, s.isGap() ? qQNaN() : std::max(s.mean, floor)));
            continue;
        }
        const double low = std::max(s.min, floor), high = std::max(s.max, floor);
        data.append(QCPGraphData(s.x, up ? low : high));
        data.append(QCPGraphData(s.x, up ? high : low));
        up = !up;
    }
    return data;
}

QCPGraph* graphOn(QCustomPlot* plot, CurveCanvas* canvas, CurveCanvas::StrokeKind kind) {
    auto* graph = new CanvasGraph(plot); // the plot owns it
    if (kind != CurveCanvas::Line)
        graph->setLayer(QStringLiteral("behind"));
    graph->setAdaptiveSampling(true);
    graph->setSelectable(QCP::stNone);
    canvas->add(kind, graph);
    return graph;
}

void clear(std::initializer_list<QCPGraph*> graphs) {
    for (auto* graph : graphs) {
        graph->data()->clear();
        graph->setVisible(false);
    }
}

QPen faded(QPen pen, double alpha, double width) {
    pen.setColor(withAlpha(pen.color(), static_cast<float>(alpha)));
    pen.setWidthF(width);
    return pen;
}

} // namespace

RankCurves::RankCurves(QCustomPlot* plot, CurveCanvas* canvas)
    : m_envelope(graphOn(plot, canvas, CurveCanvas::Extent)), m_raw(graphOn(plot, canvas, CurveCanvas::Faint)),
      m_line(graphOn(plot, canvas, CurveCanvas::Line)) {
    m_envelope->setAntialiased(false);
}

void RankCurves::show(const Samples& samples, const CurveStyle& style) {
    m_raw->data()->clear();
    showLine(samples, samples, style, 0.45);
}

void RankCurves::showSmoothed(const Samples& samples, const Samples& smoothed, const CurveStyle& style) {
    QPen solid = style.pen;
    solid.setStyle(Qt::SolidLine);
    m_raw->setPen(faded(solid, 0.28, 1));
    give(m_raw, lineOf(samples, style.floor));
    showLine(samples, smoothed, style, 0.25);
}

void RankCurves::showLine(const Samples& samples, const Samples& line, const CurveStyle& style, double extentAlpha) {
    QPen solid = style.pen;
    solid.setStyle(Qt::SolidLine);
    m_envelope->setPen(faded(solid, extentAlpha, 1));
    give(m_envelope, envelopeOf(samples, style.floor));
    give(m_line, lineOf(line, style.floor));
    m_line->setPen(style.pen);
    m_line->setScatterStyle(style.points ? QCPScatterStyle(QCPScatterStyle::ssDisc, style.pen.color(), 4)
                                         : QCPScatterStyle(QCPScatterStyle::ssNone));
    for (auto* graph : {m_envelope, m_raw, m_line})
        graph->setVisible(true);
}

void RankCurves::hide() {
    clear({m_envelope, m_raw, m_line});
}

BandCurves::BandCurves(QCustomPlot* plot, CurveCanvas* canvas)
    : m_lower(graphOn(plot, canvas, CurveCanvas::Area)), m_upper(graphOn(plot, canvas, CurveCanvas::Area)),
      m_mean(graphOn(plot, canvas, CurveCanvas::Line)) {
    m_upper->setChannelFillGraph(m_lower);
}

void BandCurves::show(const Samples& band, double floor, bool withMean) {
    const QColor text = Theme::instance().palette().text;
    Data low, high;
    for (const auto& s : band) {
        if (s.isGap())
            continue;
        low.append(QCPGraphData(s.x, std::max(s.min, floor)));
        high.append(QCPGraphData(s.x, std::max(s.max, floor)));
    }
    give(m_lower, low);
    give(m_upper, high);
    give(m_mean, lineOf(band, floor));
    m_lower->setPen(Qt::NoPen);
    m_upper->setPen(Qt::NoPen);
    m_upper->setBrush(withAlpha(text, 0.14F));
    m_mean->setPen(QPen(withAlpha(text, 0.7F), 1.5));
    m_lower->setVisible(true);
    m_upper->setVisible(true);
    m_mean->setVisible(withMean);
}

void BandCurves::hide() {
    clear({m_lower, m_upper, m_mean});
}

QRect ReferenceGraph::clipRect() const {
    constexpr int kMark = 6; ///< half of the mark, and its pen
    return QCPGraph::clipRect().adjusted(-kMark, 0, kMark, 0);
}

void ReferenceGraph::drawLinePlot(QCPPainter* painter, const QVector<QPointF>& lines) const {
    painter->save();
    painter->setClipRect(QCPGraph::clipRect(), Qt::IntersectClip);
    QCPGraph::drawLinePlot(painter, lines);
    painter->restore();
}

void ReferenceGraph::drawScatterPlot(QCPPainter* painter, const QVector<QPointF>& scatters,
                                     const QCPScatterStyle& style) const {
    const QRectF inside = QRectF(QCPGraph::clipRect()).adjusted(-1, -1, 1, 1);
    QVector<QPointF> seen;
    for (const QPointF& at : scatters)
        if (at.x() >= inside.left() && at.x() <= inside.right())
            seen << at;
    QCPGraph::drawScatterPlot(painter, seen, style);
}

ReferenceCurve::ReferenceCurve(QCustomPlot* plot) : m_line(new ReferenceGraph(plot)) {
    m_line->setSelectable(QCP::stNone);
    m_line->setAdaptiveSampling(false); // sampling would drop marks of some values
    m_line->setVisible(false);
}

QPen ReferenceCurve::pen() {
    return QPen(Theme::instance().palette().text, 1.5, Qt::DashLine);
}

void ReferenceCurve::show(const Samples& samples, double floor) {
    give(m_line, lineOf(samples, floor));
    const QColor colour = pen().color();
    m_line->setPen(pen());
    m_line->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(colour, 1), Theme::instance().palette().panel, 8));
    m_line->setVisible(!samples.empty());
}

} // namespace rankscope::ui
