// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/labels/severity_marks.h"

#include "widgets/theme/mark.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>

#include <array>
#include <functional>

namespace rankscope::ui {

namespace {

QPixmap cachedMark(const QString& name, const std::function<void(QPainter&, const QRectF&)>& draw) {
    QPixmap pixmap; // cached, because a list asks for one for each row
    if (QPixmapCache::find(name, &pixmap))
        return pixmap;
    pixmap = QPixmap(32, 32);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    draw(painter, QRectF(1, 1, 14, 14));
    painter.end();
    QPixmapCache::insert(name, pixmap);
    return pixmap;
}

/// Draws an exclamation mark in the panel's colour between `top` and `bottom`, as shares of the height.
void drawExclamation(QPainter& painter, const QRectF& box, double top, double bottom) {
    const double width = box.width() * 0.13, x = box.center().x() - width / 2;
    painter.setBrush(Theme::instance().palette().panel);
    painter.drawRoundedRect(QRectF(x, box.top() + top * box.height(), width, (bottom - top) * 0.62 * box.height()),
                            width / 2, width / 2);
    const double dot = width * 1.15;
    painter.drawEllipse(QRectF(box.center().x() - dot / 2, box.top() + bottom * box.height() - dot, dot, dot));
}

void drawTriangle(QPainter& painter, const QRectF& box) {
    painter.drawPolygon(QPolygonF{{box.center().x(), box.top()},
                                  {box.right() + 0.03 * box.width(), box.bottom() - 0.03 * box.height()},
                                  {box.left() - 0.03 * box.width(), box.bottom() - 0.03 * box.height()}});
    drawExclamation(painter, box, 0.36, 0.88);
}

void drawDiamond(QPainter& painter, const QRectF& box) {
    const QPointF c = box.center();
    painter.drawPolygon(
        QPolygonF{{c.x(), box.top()}, {box.right(), c.y()}, {c.x(), box.bottom()}, {box.left(), c.y()}});
    drawExclamation(painter, box, 0.26, 0.76);
}

void drawDiscWithCross(QPainter& painter, const QRectF& box) {
    painter.drawEllipse(box);
    QPen pen(Theme::instance().palette().panel, box.width() * 0.13);
    pen.setCapStyle(Qt::RoundCap);
    painter.setPen(pen);
    const double in = box.width() * 0.32;
    const QRectF cross = box.adjusted(in, in, -in, -in);
    painter.drawLine(cross.topLeft(), cross.bottomRight());
    painter.drawLine(cross.topRight(), cross.bottomLeft());
}

} // namespace

MarkSeverity severityOf(config::Problem::Severity severity) {
    return severity == config::Problem::Severity::Error     ? MarkSeverity::Error
           : severity == config::Problem::Severity::Warning ? MarkSeverity::Caution
                                                            : MarkSeverity::Note;
}

MarkSeverity severityOf(config::RiskSeverity severity) {
    return severity == config::RiskSeverity::Danger    ? MarkSeverity::Danger
           : severity == config::RiskSeverity::Caution ? MarkSeverity::Caution
                                                       : MarkSeverity::Note;
}

MarkSeverity severityOf(const config::Risk& risk) {
    return risk.rule ? severityOf(risk.rule->severity) : MarkSeverity::Note;
}

QColor markColor(MarkSeverity severity) {
    const Palette& p = Theme::instance().palette();
    return std::array{p.secondary, p.caution, p.incident, p.dead}[static_cast<std::size_t>(severity)];
}

void drawMark(QPainter& painter, const QRectF& square, MarkSeverity severity) {
    const QColor colour = markColor(severity);
    if (severity == MarkSeverity::Note)
        return drawMark(painter, square, Mark::Ring, colour);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    if (severity == MarkSeverity::Error)
        drawDiscWithCross(painter, square.adjusted(0.5, 0.5, -0.5, -0.5));
    else if (severity == MarkSeverity::Danger)
        drawTriangle(painter, square);
    else
        drawDiamond(painter, square);
    painter.restore();
}

QPixmap markPixmap(MarkSeverity severity) {
    const QString name = QStringLiteral("rankscope-mark-%1-%2-%3")
                             .arg(static_cast<int>(severity))
                             .arg(markColor(severity).rgba())
                             .arg(Theme::instance().palette().panel.rgba());
    return cachedMark(name, [&](QPainter& painter, const QRectF& square) { drawMark(painter, square, severity); });
}

QPixmap tickPixmap() {
    const QColor colour = Theme::instance().palette().good;
    return cachedMark(QStringLiteral("rankscope-tick-%1").arg(colour.rgba()),
                      [&](QPainter& painter, const QRectF& r) { drawMark(painter, r, Mark::Tick, colour); });
}

QString severityWord(MarkSeverity severity) {
    static constexpr const char* kWords[] = {QT_TRANSLATE_NOOP("Marks", "Note"), QT_TRANSLATE_NOOP("Marks", "Caution"),
                                             QT_TRANSLATE_NOOP("Marks", "Danger"), QT_TRANSLATE_NOOP("Marks", "Error")};
    return QCoreApplication::translate("Marks", kWords[static_cast<std::size_t>(severity)]);
}

} // namespace rankscope::ui
