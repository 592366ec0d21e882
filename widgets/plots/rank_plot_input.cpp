// SPDX-License-Identifier: GPL-3.0-or-later
// Gestures on a plot: drag pans, Shift and drag brushes, the wheel zooms.
#include "widgets/plots/rank_plot.h"

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
    m_dragFrom = event->position();
    m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Brush : Drag::Pan;
}

void RankPlot::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    const double from = xAxis->pixelToCoord(m_dragFrom.x()), to = xAxis->pixelToCoord(at.x());
    if (m_drag == Drag::Pan) {
        setCursor(Qt::ClosedHandCursor);
        if (from != to)
            emit panned(from - to);
        m_dragFrom = at;
        return;
    }
    if (m_drag == Drag::Brush) {
        m_frame->brush = PlotRange{std::min(from, to), std::max(from, to)};
        replot(rpQueuedReplot);
        return;
    }
    const auto* span = m_frame->markAt(at);
    setCursor(span ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setToolTip(span && m_spanText ? m_spanText(span->id) : QString());
    const bool inside = axisRect()->rect().contains(at.toPoint());
    emit hovered(inside ? std::optional<double>(to) : std::nullopt);
}

void RankPlot::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(m_drag, Drag::None);
    setCursor(Qt::ArrowCursor);
    if (drag == Drag::Brush) {
        m_frame->brush.reset();
        const double from = xAxis->pixelToCoord(m_dragFrom.x()), to = xAxis->pixelToCoord(event->position().x());
        if (std::abs(event->position().x() - m_dragFrom.x()) > 3)
            emit brushed({std::min(from, to), std::max(from, to)});
        replot(rpQueuedReplot);
    }
}

void RankPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        emit reset();
}

void RankPlot::wheelEvent(QWheelEvent* event) {
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
    emit hovered(std::nullopt);
}

} // namespace rankscope::ui
