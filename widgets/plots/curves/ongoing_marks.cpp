// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/ongoing_marks.h"

#include "widgets/theme/theme.h"

namespace rankscope::ui {

static constexpr double kDot = 3.5; ///< radius

void OngoingMarks::draw(QCPPainter* painter) {
    const auto pixel = [this](const QPointF& at) {
        return QPointF(mParentPlot->xAxis->coordToPixel(at.x()), mParentPlot->yAxis->coordToPixel(at.y()));
    };
    const QRect inside = mParentPlot->axisRect()->rect();
    painter->setAntialiasing(true);
    for (const OngoingMark& end : ends) {
        QPen pen = end.pen;
        pen.setStyle(Qt::DashLine);
        painter->setPen(pen);
        const QPointF to = pixel(end.to);
        painter->save();
        painter->setClipRect(inside, Qt::IntersectClip);
        if (end.from)
            painter->drawLine(QLineF(pixel(*end.from), to));
        else
            painter->drawLine(QLineF(QPointF(to.x(), inside.bottom()), to));
        painter->restore();
        if (!QRectF(inside).adjusted(-1, -1, 1, 1).contains(to))
            continue;
        pen.setStyle(Qt::SolidLine);
        painter->setPen(pen);
        painter->setBrush(Theme::instance().palette().panel);
        painter->drawEllipse(to, kDot, kDot);
    }
}

} // namespace rankscope::ui
