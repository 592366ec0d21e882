// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/plot_gestures.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/plots/axes/plot_y_axis.h"
#include "widgets/plots/plot/plot_background.h"
#include "widgets/plots/plot/plot_marks.h"
#include "widgets/plots/plot/plot_readout.h"
#include "widgets/plots/plot/resume_marks.h"

#include <QGuiApplication>
#include <QStyleHints>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

PlotGestures::PlotGestures(QCustomPlot* plot, const PlotParts& parts, const PlotRange& range)
    : QObject(plot), m_plot(plot), m_parts(parts), m_range(range) {}

bool PlotGestures::onTitle(QPointF at) const {
    return at.y() < m_plot->axisRect()->top();
}

PlotRange PlotGestures::draggedRange(QPointF to) const {
    const double a = m_plot->xAxis->pixelToCoord(m_dragFrom.x()), b = m_plot->xAxis->pixelToCoord(to.x());
    return {std::min(a, b), std::max(a, b)};
}

void PlotGestures::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return event->ignore();
    if (const auto* span = m_parts.frame->markAt(event->position()))
        return emit incidentClicked(span->id);
    const auto* mark = m_parts.marks->at(event->position());
    if (mark && mark->kind == PlotMark::PlotMarkKind::Annotation)
        return emit annotationClicked(mark->id);
    if (m_parts.y->press(*event))
        return;
    m_dragFrom = event->position();
    m_titleMoves = false;
    m_drag = onTitle(m_dragFrom)                        ? PlotDrag::Title
             : event->modifiers() & Qt::ShiftModifier   ? PlotDrag::Brush
             : event->modifiers() & Qt::ControlModifier ? PlotDrag::Box
                                                        : PlotDrag::Pan;
}

void PlotGestures::move(QMouseEvent* event) {
    if (m_parts.y->move(*event))
        return;
    const QPointF at = event->position();
    switch (m_drag) {
    case PlotDrag::Title:
        return dragTitle(event);
    case PlotDrag::Pan: {
        m_plot->setCursor(Qt::ClosedHandCursor);
        const double by = m_plot->xAxis->pixelToCoord(m_dragFrom.x()) - m_plot->xAxis->pixelToCoord(at.x());
        if (by != 0)
            emit panned(by);
        m_dragFrom = at;
        return;
    }
    case PlotDrag::Brush:
    case PlotDrag::Box:
        m_parts.frame->brush = draggedRange(at);
        m_plot->replot(QCustomPlot::rpQueuedReplot);
        return;
    case PlotDrag::None:
        return hover(at);
    }
}

void PlotGestures::hover(QPointF at) {
    const auto* span = m_parts.frame->markAt(at);
    const auto* mark = span ? nullptr : m_parts.marks->at(at);
    m_plot->setCursor(span || (mark && mark->kind == PlotMark::PlotMarkKind::Annotation) ? Qt::PointingHandCursor
                      : onTitle(at)                                                      ? Qt::OpenHandCursor
                      : m_parts.y->covers(at)                                            ? Qt::SizeVerCursor
                                                                                         : Qt::ArrowCursor);
    const auto* joint = span || mark ? nullptr : m_parts.joints->at(at);
    m_plot->setToolTip(mark                    ? plainToolTip(mark->text)
                       : joint                 ? plainToolTip(joint->text)
                       : span && m_spanText    ? plainToolTip(m_spanText(span->id))
                       : onTitle(at)           ? tr("Drag to move the plot, or press Alt+↑ or Alt+↓")
                       : m_parts.y->covers(at) ? m_parts.y->toolTip()
                                               : QString());
    showGrip(onTitle(at) && !mark);
    const bool inside = m_plot->axisRect()->rect().contains(at.toPoint());
    emit hovered(inside ? std::optional(m_plot->xAxis->pixelToCoord(at.x())) : std::nullopt);
}

void PlotGestures::release(QMouseEvent* event) {
    if (m_parts.y->release(*event))
        return;
    const PlotDrag drag = std::exchange(m_drag, PlotDrag::None);
    m_plot->setCursor(Qt::ArrowCursor);
    if (drag == PlotDrag::Title && m_titleMoves)
        emit titleDragged(event->globalPosition().toPoint(), TitleDrag::Drop);
    if (drag == PlotDrag::Brush || drag == PlotDrag::Box) {
        m_parts.frame->brush.reset();
        const PlotRange range = draggedRange(event->position());
        if (std::abs(event->position().x() - m_dragFrom.x()) > 3)
            drag == PlotDrag::Brush ? emit brushed(range) : emit boxed(range);
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

void PlotGestures::dragTitle(QMouseEvent* event) {
    const double far = QGuiApplication::styleHints()->startDragDistance();
    m_titleMoves = m_titleMoves || std::abs(event->position().y() - m_dragFrom.y()) >= far;
    if (!m_titleMoves)
        return;
    m_plot->setCursor(Qt::ClosedHandCursor);
    emit titleDragged(event->globalPosition().toPoint(), TitleDrag::Over);
}

void PlotGestures::showGrip(bool on) {
    if (on == m_parts.frame->grip)
        return;
    m_parts.frame->grip = on;
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotGestures::doubleClick(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && !m_parts.y->doubleClick(*event))
        emit reset();
}

void PlotGestures::wheel(QWheelEvent* event) {
    event->accept();
    if (m_parts.y->wheel(*event))
        return;
    const QPoint delta = event->angleDelta();
    const int along = event->modifiers() & Qt::ShiftModifier ? (delta.y() ? delta.y() : delta.x()) : delta.x();
    if (along != 0)
        emit panned(-along / 120.0 * m_range.width() * 0.1);
    else if (delta.y() != 0)
        emit zoomed(m_plot->xAxis->pixelToCoord(event->position().x()), std::pow(0.8, delta.y() / 120.0));
}

void PlotGestures::leave() {
    showGrip(false);
    emit hovered(std::nullopt);
}

void PlotGestures::contextMenu(QContextMenuEvent* event) {
    const QRect rect = m_plot->axisRect()->rect();
    QPoint at = event->pos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        at = rect.center();
        if (const auto& crosshair = m_parts.readout->x)
            at.setX(static_cast<int>(m_plot->xAxis->coordToPixel(*crosshair)));
    }
    const auto* mark = m_parts.marks->at(at);
    const bool inside = at.x() >= rect.left() && at.x() <= rect.right();
    emit menuRequested(m_plot->mapToGlobal(at),
                       inside ? std::optional(m_plot->xAxis->pixelToCoord(at.x())) : std::nullopt,
                       mark && mark->kind == PlotMark::PlotMarkKind::Annotation ? mark->id : 0);
}

bool PlotGestures::key(QKeyEvent* event) {
    if (event->modifiers() == Qt::AltModifier && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        emit moveRequested(event->key() == Qt::Key_Up ? -1 : 1);
    } else if (event->key() == Qt::Key_Escape && m_drag == PlotDrag::Title) {
        m_drag = PlotDrag::None;
        m_plot->setCursor(Qt::ArrowCursor);
        emit titleDragged({}, TitleDrag::Cancel);
    } else if (m_parts.y->key(*event)) {
        return true;
    } else if (event->key() == Qt::Key_Delete) {
        emit removeRequested();
    } else if (!event->modifiers() && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        emit panned((event->key() == Qt::Key_Left ? -0.1 : 0.1) * m_range.width());
    } else {
        return false;
    }
    return true;
}

} // namespace rankscope::ui
