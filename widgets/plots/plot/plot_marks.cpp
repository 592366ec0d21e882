// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/plot_marks.h"

#include "widgets/plots/plot/plot_signs.h"
#include "widgets/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kReach = 6;   ///< pixels around a sign that count as part of it
constexpr double kApart = 6;   ///< nearer signs of the same kind are drawn as one
constexpr double kFlagTop = 9; ///< below the crosses of values that are not finite
} // namespace

MarksItem::MarksItem(QCustomPlot* plot) : QCPAbstractItem(plot) {
    setClipToAxisRect(false); // draws a sign at the first or last step whole
}

bool MarksItem::isShown(const PlotMark& mark) const {
    const QCPRange range = mParentPlot->xAxis->range();
    const bool inView = mark.hi >= range.lower && mark.lo <= range.upper;
    return inView && (mark.kind == PlotMark::PlotMarkKind::Annotation ? showFlags : showAxisMarks);
}

bool MarksItem::shows(PlotMark::PlotMarkKind kind) const {
    return std::ranges::any_of(marks, [&](const PlotMark& mark) { return mark.kind == kind && isShown(mark); });
}

QPointF MarksItem::place(const PlotMark& mark) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    const double x = mParentPlot->xAxis->coordToPixel(mark.lo);
    if (mark.kind == PlotMark::PlotMarkKind::Annotation)
        return {std::max<double>(x, rect.left()), rect.top() + kFlagTop + 4};
    return {x, rect.bottom() - 4.0};
}

const PlotMark* MarksItem::at(const QPointF& pixel) const {
    const PlotMark* best = nullptr;
    double bestAway = kReach;
    for (const PlotMark& mark : marks) {
        if (!isShown(mark))
            continue;
        const QPointF away = pixel - place(mark);
        // the flag flies to the right of its pole
        const bool flag = mark.kind == PlotMark::PlotMarkKind::Annotation;
        const double x = flag ? std::max({0.0, -away.x(), away.x() - 9}) : std::abs(away.x());
        const double distance = std::max(x, std::abs(away.y()) - (flag ? 2 : 0));
        if (distance < bestAway) {
            best = &mark;
            bestAway = distance;
        }
    }
    return best;
}

void MarksItem::drawFilter(QCPPainter* painter) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    const auto& palette = Theme::instance().palette();
    const auto pixel = [&](double x) {
        return std::clamp<double>(mParentPlot->xAxis->coordToPixel(x), rect.left(), rect.right() + 1);
    };
    const double a = pixel(filter->lo), b = pixel(filter->hi);
    const QColor shade = withAlpha(palette.panel, 0.6F);
    painter->fillRect(QRectF(QPointF(rect.left(), rect.top()), QPointF(a, rect.bottom() + 1)), shade);
    painter->fillRect(QRectF(QPointF(b, rect.top()), QPointF(rect.right() + 1, rect.bottom() + 1)), shade);
    painter->setAntialiasing(false);
    painter->setPen(QPen(palette.accent, 1));
    for (const double x : {filter->lo, filter->hi})
        if (mParentPlot->xAxis->range().contains(x))
            painter->drawLine(QLineF(pixel(x), rect.top(), pixel(x), rect.bottom()));
}

void MarksItem::drawFlag(QCPPainter* painter, const PlotMark& mark) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    const QColor ink = Theme::instance().palette().text;
    const double x = place(mark).x(), top = rect.top() + kFlagTop;
    if (mark.hi > mark.lo) {
        const double end = std::clamp<double>(mParentPlot->xAxis->coordToPixel(mark.hi), x, rect.right() + 1);
        painter->fillRect(QRectF(QPointF(x, top), QPointF(end, rect.bottom() + 1)), withAlpha(ink, 0.08F));
    }
    painter->setPen(QPen(ink, 1, Qt::DotLine));
    painter->setAntialiasing(false);
    painter->drawLine(QLineF(x, top, x, rect.bottom()));
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(ink);
    painter->drawPolygon(QPolygonF{QPointF(x, top), QPointF(x + 9, top + 3.5), QPointF(x, top + 7)});
}

void MarksItem::draw(QCPPainter* painter) {
    if (filter)
        drawFilter(painter);
    double last[2] = {-1e9, -1e9};
    for (const PlotMark& mark : marks) {
        if (!isShown(mark))
            continue;
        if (mark.kind == PlotMark::PlotMarkKind::Annotation) {
            drawFlag(painter, mark);
            continue;
        }
        const bool checkpoint = mark.kind == PlotMark::PlotMarkKind::Checkpoint;
        const QPointF at = place(mark);
        double& before = last[checkpoint ? 0 : 1];
        if (at.x() - before < kApart)
            continue;
        before = at.x();
        painter->setAntialiasing(true);
        drawPlotSign(*painter, QRectF(at - QPointF(3.5, 3.5), QSizeF(7, 7)),
                     checkpoint ? PlotSign::Checkpoint : PlotSign::Validation);
    }
}

} // namespace rankscope::ui
