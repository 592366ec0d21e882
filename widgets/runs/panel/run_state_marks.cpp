// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_state_marks.h"

#include "widgets/controls/rank_state_mark.h"
#include "widgets/theme/theme.h"

#include <QPainter>

namespace rankscope::ui {

void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark) {
    drawStateMark(painter, square, mark, stateColor(mark));
}

void drawChevron(QPainter& painter, const QPointF& c, bool opened) {
    painter.setPen(QPen(Theme::instance().palette().secondary, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (opened)
        painter.drawPolyline(QPolygonF{{c.x() - 3.5, c.y() - 1.5}, {c.x(), c.y() + 2}, {c.x() + 3.5, c.y() - 1.5}});
    else
        painter.drawPolyline(QPolygonF{{c.x() - 1.5, c.y() - 3.5}, {c.x() + 2, c.y()}, {c.x() - 1.5, c.y() + 3.5}});
}

} // namespace rankscope::ui
