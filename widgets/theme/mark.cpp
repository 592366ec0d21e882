// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/mark.h"

#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

namespace {

QPolygonF polygon(const QRectF& box, std::initializer_list<QPointF> unit) {
    QPolygonF points;
    for (const QPointF& p : unit)
        points << QPointF(box.left() + p.x() * box.width(), box.top() + p.y() * box.height());
    return points;
}

void drawHourglass(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(polygon(box, {{0.12, 0.0},
                                      {0.88, 0.0},
                                      {0.88, 0.12},
                                      {0.56, 0.5},
                                      {0.88, 0.88},
                                      {0.88, 1.0},
                                      {0.12, 1.0},
                                      {0.12, 0.88},
                                      {0.44, 0.5},
                                      {0.12, 0.12}}));
}

void drawStroke(QPainter& painter, const QColor& colour, double width, std::initializer_list<QPolygonF> lines) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    for (const QPolygonF& line : lines)
        painter.drawPolyline(line);
}

} // namespace

void drawMark(QPainter& painter, const QRectF& square, Mark mark, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double side = std::min(square.width(), square.height());
    QRectF box(0, 0, side * 0.75, side * 0.75);
    box.moveCenter(square.center());
    const double width = std::max(1.5, side * 0.13);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    switch (mark) {
    case Mark::Ring:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, width));
        painter.drawEllipse(box.adjusted(width / 2, width / 2, -width / 2, -width / 2));
        break;
    case Mark::Disc:
        painter.drawEllipse(box);
        break;
    case Mark::Hourglass:
        drawHourglass(painter, box, colour);
        break;
    case Mark::Triangle:
        painter.drawPolygon(polygon(box, {{0.5, 0.0}, {1.04, 0.96}, {-0.04, 0.96}}));
        break;
    case Mark::Bars:
        painter.drawRect(QRectF(box.left() + box.width() * 0.12, box.top(), box.width() * 0.28, box.height()));
        painter.drawRect(QRectF(box.left() + box.width() * 0.60, box.top(), box.width() * 0.28, box.height()));
        break;
    case Mark::Cross:
        drawStroke(painter, colour, width,
                   {polygon(box, {{0.08, 0.08}, {0.92, 0.92}}), polygon(box, {{0.92, 0.08}, {0.08, 0.92}})});
        break;
    case Mark::Tick:
        drawStroke(painter, colour, width, {polygon(box, {{0.04, 0.55}, {0.36, 0.88}, {0.96, 0.14}})});
        break;
    case Mark::DottedRing:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, width, Qt::DotLine, Qt::FlatCap));
        painter.drawEllipse(box.adjusted(width / 2, width / 2, -width / 2, -width / 2));
        break;
    }
    painter.restore();
}

} // namespace rankscope::ui
