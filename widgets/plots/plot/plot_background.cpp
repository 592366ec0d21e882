// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/plot_background.h"

#include "widgets/theme/theme.h"

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr float kSpanAlpha = 0.14F;
constexpr double kMinSpanPx = 3;
} // namespace

std::optional<std::pair<double, double>> spanPixels(const IncidentSpan& span, const QCPAxis& axis) {
    const QRect rect = axis.axisRect()->rect();
    double a = axis.coordToPixel(span.lo), b = axis.coordToPixel(span.hi);
    if (b - a < kMinSpanPx) {
        const double middle = (a + b) / 2;
        a = middle - kMinSpanPx / 2;
        b = middle + kMinSpanPx / 2;
    }
    if (b < rect.left() || a > rect.right())
        return std::nullopt;
    return std::pair{std::max<double>(a, rect.left()), std::min<double>(b, rect.right() + 1)};
}

IncidentSpanItem::IncidentSpanItem(QCustomPlot* plot, const QList<IncidentSpan>& spans)
    : QCPAbstractItem(plot), m_spans(spans) {}

void IncidentSpanItem::draw(QCPPainter* painter) {
    const QRect rect = mParentPlot->axisRect()->rect();
    for (const auto& span : m_spans)
        if (const auto px = spanPixels(span, *mParentPlot->xAxis))
            // whole pixels are filled much faster than fractions of them
            painter->fillRect(QRectF(px->first, rect.top(), px->second - px->first, rect.height()).toAlignedRect(),
                              withAlpha(Theme::instance().palette().incidentSign(span.pause), kSpanAlpha));
}

PlotFrameItem::PlotFrameItem(QCustomPlot* plot, const QList<IncidentSpan>& spans)
    : QCPAbstractItem(plot), m_spans(spans) {
    setClipToAxisRect(false);
}

QPointF PlotFrameItem::markTip(const IncidentSpan& span) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    const double middle = mParentPlot->xAxis->coordToPixel((span.lo + span.hi) / 2);
    return {std::clamp<double>(middle, rect.left(), rect.right()), rect.bottom() + 1.0};
}

const IncidentSpan* PlotFrameItem::markAt(const QPointF& pixel) const {
    if (!showMarks)
        return nullptr;
    const IncidentSpan* best = nullptr;
    double bestDistance = kMarkPx;
    for (const auto& span : m_spans) {
        if (!spanPixels(span, *mParentPlot->xAxis))
            continue;
        const QPointF tip = markTip(span);
        const double distance = std::abs(tip.x() - pixel.x());
        if (distance <= bestDistance && pixel.y() >= tip.y() - 3 && pixel.y() <= tip.y() + kMarkPx + 3) {
            best = &span;
            bestDistance = distance;
        }
    }
    return best;
}

void PlotFrameItem::draw(QCPPainter* painter) {
    if (focused)
        painter->fillRect(QRectF(0, 2, 3, mParentPlot->height() - 4), Theme::instance().palette().accent);
    drawTitle(painter);
    if (grip)
        drawGrip(painter);
    else if (pinned)
        drawPin(painter);
    drawNotFinite(painter);
    drawMarks(painter);
    drawBrush(painter);
    drawNothing(painter);
}

void PlotFrameItem::drawTitle(QCPPainter* painter) const {
    const auto& palette = Theme::instance().palette();
    const QRect rect = mParentPlot->axisRect()->rect();
    QFont bold = mParentPlot->font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(bold);
    const QRectF strip(rect.left(), 0, rect.width(), rect.top() - 2);
    painter->setFont(bold);
    painter->setPen(palette.text);
    painter->drawText(strip, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), title);
    painter->setFont(mParentPlot->font());
    painter->setPen(palette.secondary);
    const double after = metrics.horizontalAdvance(title) + 6;
    const QString second = unit.isEmpty() ? QString() : QStringLiteral("(%1)").arg(unit);
    painter->drawText(strip.adjusted(after, 0, 0, 0), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), second);
    painter->drawText(strip.adjusted(0, 0, -remarkInset, 0), static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                      remark);
}

/// Draws two columns of dots before the title.
void PlotFrameItem::drawGrip(QCPPainter* painter) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(Theme::instance().palette().secondary);
    const QPointF middle(rect.left() - 10, (rect.top() - 2) / 2.0);
    for (const double x : {-2.0, 2.0})
        for (const double y : {-4.0, 0.0, 4.0})
            painter->drawEllipse(middle + QPointF(x, y), 1.1, 1.1);
}

/// Draws a pin in place of the grip.
void PlotFrameItem::drawPin(QCPPainter* painter) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    Theme::instance()
        .icon(QStringLiteral("pin"))
        .paint(painter, QRect(rect.left() - 17, (rect.top() - 2) / 2 - 7, 14, 14));
}

void PlotFrameItem::drawTimeBar(QCPPainter* painter, const IncidentSpan& span) const {
    const QRectF rect(mParentPlot->axisRect()->rect());
    const double left = mParentPlot->xAxis->coordToPixel(span.lo);
    const double right = mParentPlot->xAxis->coordToPixel(span.lo + span.timeWidth);
    const QRectF bar(left, rect.bottom() - 3, right - left, 3);
    painter->setAntialiasing(false);
    if (span.timeWidth > 0 && bar.intersects(rect))
        painter->fillRect((bar & rect).toAlignedRect(), Theme::instance().palette().incidentSign(span.pause));
}

QPen PlotFrameItem::linePen(int rank) const {
    QPen pen = Theme::instance().rankPen(rank);
    const auto standsOut = [this, rank](const IncidentSpan& span) {
        return (span.open || span.id == selectedSpan) && std::ranges::find(span.holders, rank) != span.holders.end();
    };
    if (std::ranges::any_of(m_spans, standsOut))
        pen.setWidthF(kHolderLinePx);
    return pen;
}

void PlotFrameItem::drawMarks(QCPPainter* painter) const {
    if (!showMarks)
        return;
    const auto& palette = Theme::instance().palette();
    for (const auto& span : m_spans) {
        drawTimeBar(painter, span);
        painter->setAntialiasing(true);
        if (!spanPixels(span, *mParentPlot->xAxis))
            continue;
        const QPointF tip = markTip(span);
        painter->setBrush(palette.incidentSign(span.pause));
        painter->setPen(span.id == selectedSpan ? QPen(palette.text, 1.5) : QPen(palette.panel, 1));
        painter->drawPolygon(
            QPolygonF{tip, tip + QPointF(kMarkPx * 0.6, kMarkPx), tip + QPointF(-kMarkPx * 0.6, kMarkPx)});
    }
}

void PlotFrameItem::drawNotFinite(QCPPainter* painter) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    painter->setPen(QPen(Theme::instance().palette().dead, 1.5));
    painter->setAntialiasing(true);
    double last = -1e9;
    for (const double x : notFinite) {
        const double px = mParentPlot->xAxis->coordToPixel(x);
        if (px < rect.left() || px > rect.right() || px - last < 5)
            continue;
        last = px;
        const QPointF at(px, rect.top() + 5.0);
        painter->drawLine(QLineF(at + QPointF(-3, -3), at + QPointF(3, 3)));
        painter->drawLine(QLineF(at + QPointF(-3, 3), at + QPointF(3, -3)));
    }
}

void PlotFrameItem::drawBrush(QCPPainter* painter) const {
    if (!brush)
        return;
    const QRect rect = mParentPlot->axisRect()->rect();
    const double a = mParentPlot->xAxis->coordToPixel(brush->lo), b = mParentPlot->xAxis->coordToPixel(brush->hi);
    const QRectF box = QRectF(QPointF(std::min(a, b), rect.top()), QPointF(std::max(a, b), rect.bottom() + 1));
    const QColor accent = Theme::instance().palette().accent;
    painter->fillRect(box & QRectF(rect), withAlpha(accent, 0.15F));
    painter->setPen(QPen(accent, 1));
    painter->drawLine(QLineF(box.topLeft(), box.bottomLeft()));
    painter->drawLine(QLineF(box.topRight(), box.bottomRight()));
}

void PlotFrameItem::drawNothing(QCPPainter* painter) const {
    if (nothing.isEmpty())
        return;
    painter->setFont(mParentPlot->font());
    painter->setPen(Theme::instance().palette().secondary);
    painter->drawText(QRectF(mParentPlot->axisRect()->rect()).adjusted(8, 0, -8, 0),
                      static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, nothing);
}

} // namespace rankscope::ui
