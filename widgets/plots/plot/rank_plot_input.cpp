// SPDX-License-Identifier: GPL-3.0-or-later
// Gestures on a plot: its title moves it, drag pans, Shift and drag brushes a filter, Ctrl and drag a window, the wheel
// zooms; those of the y axis are its own.
#include "widgets/models/text/tool_tip.h"
#include "widgets/plots/plot/rank_plot.h"

#include <QGuiApplication>
#include <QStyleHints>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

void RankPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    if (const auto* span = m_frame->markAt(event->position())) {
        emit incidentClicked(span->id);
        return;
    }
    const auto* mark = m_marks->at(event->position());
    if (mark && mark->kind == PlotMark::Kind::Annotation) {
        emit annotationClicked(mark->id);
        return;
    }
    if (m_y->press(*event))
        return;
    m_dragFrom = event->position();
    m_titleMoves = false;
    m_drag = onTitle(m_dragFrom)                        ? Drag::Title
             : event->modifiers() & Qt::ShiftModifier   ? Drag::Brush
             : event->modifiers() & Qt::ControlModifier ? Drag::Box
                                                        : Drag::Pan;
}

void RankPlot::mouseMoveEvent(QMouseEvent* event) {
    if (m_y->move(*event))
        return;
    const QPointF at = event->position();
    const double from = xAxis->pixelToCoord(m_dragFrom.x()), to = xAxis->pixelToCoord(at.x());
    if (m_drag == Drag::Title)
        return dragTitle(event);
    if (m_drag == Drag::Pan) {
        setCursor(Qt::ClosedHandCursor);
        if (from != to)
            emit panned(from - to);
        m_dragFrom = at;
        return;
    }
    if (m_drag == Drag::Brush || m_drag == Drag::Box) {
        m_frame->brush = PlotRange{std::min(from, to), std::max(from, to)};
        replot(rpQueuedReplot);
        return;
    }
    const auto* span = m_frame->markAt(at);
    const auto* mark = span ? nullptr : m_marks->at(at);
    setCursor(span || (mark && mark->kind == PlotMark::Kind::Annotation) ? Qt::PointingHandCursor
              : onTitle(at)                                              ? Qt::OpenHandCursor
              : m_y->covers(at)                                          ? Qt::SizeVerCursor
                                                                         : Qt::ArrowCursor);
    const auto* joint = span || mark ? nullptr : m_joints->at(at);
    setToolTip(mark                 ? plainToolTip(mark->text)
               : joint              ? plainToolTip(joint->text)
               : span && m_spanText ? plainToolTip(m_spanText(span->id))
               : onTitle(at)        ? tr("Drag to another place; Alt+↑ and Alt+↓ move the plot, too")
               : m_y->covers(at)    ? m_y->toolTip()
                                    : QString());
    showGrip(onTitle(at) && !mark);
    const bool inside = axisRect()->rect().contains(at.toPoint());
    emit hovered(inside ? std::optional<double>(to) : std::nullopt);
}

void RankPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (m_y->release(*event))
        return;
    const Drag drag = std::exchange(m_drag, Drag::None);
    setCursor(Qt::ArrowCursor);
    if (drag == Drag::Title && m_titleMoves)
        emit titleDragged(event->globalPosition().toPoint(), TitleDrag::Drop);
    if (drag == Drag::Brush || drag == Drag::Box) {
        m_frame->brush.reset();
        const double from = xAxis->pixelToCoord(m_dragFrom.x()), to = xAxis->pixelToCoord(event->position().x());
        if (std::abs(event->position().x() - m_dragFrom.x()) > 3)
            drag == Drag::Brush ? emit brushed({std::min(from, to), std::max(from, to)})
                                : emit boxed({std::min(from, to), std::max(from, to)});
        replot(rpQueuedReplot);
    }
}

void RankPlot::dragTitle(QMouseEvent* event) {
    const double far = QGuiApplication::styleHints()->startDragDistance();
    m_titleMoves = m_titleMoves || std::abs(event->position().y() - m_dragFrom.y()) >= far;
    if (!m_titleMoves)
        return;
    setCursor(Qt::ClosedHandCursor);
    emit titleDragged(event->globalPosition().toPoint(), TitleDrag::Over);
}

void RankPlot::showGrip(bool on) {
    if (on == m_frame->grip)
        return;
    m_frame->grip = on;
    replot(rpQueuedReplot);
}

void RankPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && !m_y->doubleClick(*event))
        emit reset();
}

void RankPlot::wheelEvent(QWheelEvent* event) {
    if (m_y->wheel(*event))
        return event->accept();
    const QPoint delta = event->angleDelta();
    const int along = event->modifiers() & Qt::ShiftModifier ? (delta.y() ? delta.y() : delta.x()) : delta.x();
    if (along != 0)
        emit panned(-along / 120.0 * m_range.width() * 0.1);
    else if (delta.y() != 0)
        emit zoomed(xAxis->pixelToCoord(event->position().x()), std::pow(0.8, delta.y() / 120.0));
    event->accept();
}

void RankPlot::leaveEvent(QEvent* event) {
    QCustomPlot::leaveEvent(event);
    showGrip(false);
    emit hovered(std::nullopt);
}

void RankPlot::contextMenuEvent(QContextMenuEvent* event) {
    const bool keyboard = event->reason() == QContextMenuEvent::Keyboard;
    const QRect rect = axisRect()->rect();
    const QPoint at =
        keyboard ? (crosshair() ? QPoint(static_cast<int>(xAxis->coordToPixel(*crosshair())), rect.center().y())
                                : rect.center())
                 : event->pos();
    const auto* mark = m_marks->at(at);
    const bool inside = at.x() >= rect.left() && at.x() <= rect.right();
    emit menuRequested(mapToGlobal(at), inside ? std::optional(xAxis->pixelToCoord(at.x())) : std::nullopt,
                       mark && mark->kind == PlotMark::Kind::Annotation ? mark->id : 0);
}

void RankPlot::keyPressEvent(QKeyEvent* event) {
    const bool alt = event->modifiers() == Qt::AltModifier;
    if (alt && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
        emit moveRequested(event->key() == Qt::Key_Up ? -1 : 1);
    else if (event->key() == Qt::Key_Escape && m_drag == Drag::Title) {
        m_drag = Drag::None;
        setCursor(Qt::ArrowCursor);
        emit titleDragged({}, TitleDrag::Cancel);
    } else if (m_y->key(*event))
        return;
    else if (event->key() == Qt::Key_Delete)
        emit removeRequested();
    else if (!event->modifiers() && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right))
        emit panned((event->key() == Qt::Key_Left ? -0.1 : 0.1) * m_range.width());
    else
        QCustomPlot::keyPressEvent(event);
}

void RankPlot::focusInEvent(QFocusEvent* event) {
    QCustomPlot::focusInEvent(event);
    m_frame->focused = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    rebuildLater();
}

void RankPlot::focusOutEvent(QFocusEvent* event) {
    QCustomPlot::focusOutEvent(event);
    m_frame->focused = false;
    rebuildLater();
}

} // namespace rankscope::ui
