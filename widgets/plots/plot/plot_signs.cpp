// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/plot_signs.h"

#include "widgets/plots/curves/unwatched_bands.h"
#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QPainter>

namespace rankscope::ui {

namespace {

struct PlotSignLabels {
    Q_DECLARE_TR_FUNCTIONS(PlotSignLabels)
};

QPolygonF triangle(const QRectF& box) {
    return {QPointF(box.center().x(), box.top()), box.bottomRight(), box.bottomLeft()};
}

void drawIncident(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.fillRect(box, withAlpha(colour, 0.14F));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(triangle(box.adjusted(0, box.height() / 2, 0, 0)));
    painter.fillRect(QRectF(box.left(), box.top() + box.height() / 4, box.width(), box.height() / 4), colour);
}

void drawBand(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.fillRect(box, withAlpha(colour, 0.14F));
    painter.setPen(QPen(withAlpha(colour, 0.7F), 1.5));
    painter.drawLine(QLineF(box.left(), box.center().y(), box.right(), box.center().y()));
}

void drawFlag(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.setPen(QPen(colour, 1, Qt::DotLine));
    painter.drawLine(box.topLeft(), box.bottomLeft());
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{box.topLeft(), QPointF(box.right(), box.top() + box.height() * 0.3),
                                  QPointF(box.left(), box.top() + box.height() * 0.6)});
}

} // namespace

QString plotSignText(PlotSign sign) {
    switch (sign) {
    case PlotSign::Band:
        return PlotSignLabels::tr("all ranks: range and mean");
    case PlotSign::Incident:
        return PlotSignLabels::tr("incident (bar: its duration)");
    case PlotSign::Pause:
        return PlotSignLabels::tr("pause of the whole run");
    case PlotSign::Unwatched:
        return PlotSignLabels::tr("not watched");
    case PlotSign::Checkpoint:
        return PlotSignLabels::tr("checkpoint");
    case PlotSign::Validation:
        return PlotSignLabels::tr("validation");
    case PlotSign::Annotation:
        return PlotSignLabels::tr("annotation");
    case PlotSign::InProgress:
        return PlotSignLabels::tr("has not ended");
    case PlotSign::CutOff:
        return PlotSignLabels::tr("peak outside the axis");
    case PlotSign::NotFinite:
        return PlotSignLabels::tr("NaN or Inf");
    case PlotSign::Count:
        break;
    }
    return {};
}

void drawPlotSign(QPainter& painter, const QRectF& square, PlotSign sign) {
    const auto& palette = Theme::instance().palette();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette.secondary, 1.2));
    painter.setBrush(palette.panel);
    const QPointF c = square.center();
    const double margin = square.width() / 7;
    switch (sign) {
    case PlotSign::Band:
        drawBand(painter, square, palette.text);
        break;
    case PlotSign::Incident:
    case PlotSign::Pause:
        drawIncident(painter, square, palette.incidentSign(sign == PlotSign::Pause));
        break;
    case PlotSign::Unwatched:
        painter.fillRect(square, UnwatchedBands::colour());
        break;
    case PlotSign::Checkpoint:
        painter.drawRect(square.adjusted(margin, margin, -margin, -margin));
        break;
    case PlotSign::Validation:
        painter.drawPolygon(QPolygonF{QPointF(c.x(), square.top()), QPointF(square.right(), c.y()),
                                      QPointF(c.x(), square.bottom()), QPointF(square.left(), c.y())});
        break;
    case PlotSign::Annotation:
        drawFlag(painter, square, palette.text);
        break;
    case PlotSign::InProgress:
        painter.drawEllipse(square.adjusted(margin, margin, -margin, -margin));
        break;
    case PlotSign::CutOff:
        painter.setPen(Qt::NoPen);
        painter.setBrush(palette.secondary);
        painter.drawPolygon(triangle(square.adjusted(0, margin, 0, -margin)));
        break;
    case PlotSign::NotFinite:
        painter.setPen(QPen(palette.dead, 1.5));
        painter.drawLine(QLineF(square.topLeft(), square.bottomRight()));
        painter.drawLine(QLineF(square.bottomLeft(), square.topRight()));
        break;
    case PlotSign::Count:
        break;
    }
    painter.restore();
}

} // namespace rankscope::ui
