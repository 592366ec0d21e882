// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_view.h"

#include "widgets/models/run/plot_extras_loader.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/timeline/view/span_text.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

TimelineView::TimelineView(QWidget* parent) : TimelineLanes(parent) {
    setObjectName(QStringLiteral("timelineView"));
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = m_last = event->position().toPoint();
    m_moved = false;
    if (m_pressed.x() < TimelineScene::kLabelWidth)
        return;
    const bool onAxis = m_pressed.y() < scene().lanesTop(); // on the axis, dragging selects
    m_drag = event->modifiers() & Qt::ShiftModifier ? TimelineDrag::Brush
             : onAxis                               ? TimelineDrag::BrushOrClick
                                                    : TimelineDrag::Pan;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (m_drag == TimelineDrag::None)
        return;
    m_moved |= (at - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (m_moved && m_drag == TimelineDrag::Pan) {
        const QPoint by = at - m_last;
        showWindow(panned(window(), -by.x() * scene().scale.nsPerPixel(), limits()));
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (m_moved) {
        const double a = scene().scale.ns(m_pressed.x() - TimelineScene::kLabelWidth),
                     b = scene().scale.ns(at.x() - TimelineScene::kLabelWidth);
        setBrush(PlotRange{std::max(std::min(a, b), limits().lo), std::min(std::max(a, b), limits().hi)});
    }
    m_last = at;
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    const TimelineDrag drag = std::exchange(m_drag, TimelineDrag::None);
    viewport()->unsetCursor();
    if (m_moved) {
        if (drag == TimelineDrag::Brush || drag == TimelineDrag::BrushOrClick)
            emit brushFinished();
        return;
    }
    const QPoint at = event->position().toPoint();
    if (const auto* incident = scene().incidentAt(at))
        emit incidentActivated(incident->id);
    else if (const auto* annotation = scene().annotationAt(at))
        activateAnnotation(annotation->id);
    else if (drag == TimelineDrag::Brush || drag == TimelineDrag::BrushOrClick)
        setBrush(std::nullopt); // a click outside it
    else if (drag == TimelineDrag::Pan)
        select(scene().pickAt(at));
}

void TimelineView::activateAnnotation(qint64 id) {
    selectAnnotation(id);
    emit annotationActivated(id);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (at.y() < scene().lanesTop() && brush())
        return zoomToBrush();
    if (const auto pick = scene().pickAt(at))
        zoomTo(pick->span);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint at = event->position().toPoint();
    const QPoint delta = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier || at.x() < TimelineScene::kLabelWidth) { // scrolls the lanes
        TimelineLanes::wheelEvent(event);
        event->accept();
    } else if (event->modifiers() & Qt::ShiftModifier || std::abs(delta.x()) > std::abs(delta.y())) {
        const int by = delta.x() != 0 ? delta.x() : delta.y();
        pan(-by / 120.0 * 0.1);
        event->accept();
    } else if (delta.y() != 0) {
        // a view that follows keeps the end in view
        const double centre =
            scene().live && follow() ? window().hi : scene().scale.ns(at.x() - TimelineScene::kLabelWidth);
        showWindow(zoomed(window(), centre, std::pow(0.8, delta.y() / 120.0), limits(), TimeScale::kShortestNs));
        event->accept();
    }
}

/// Selects the span next to the selected one, or that in the lane above or below.
void TimelineView::moveSelection(int along, int across) {
    const auto to = scene().neighbour(along, across);
    if (!to)
        return;
    select(to);
    reveal(to->rank, to->span.beginNs, to->span.endNs);
}

/// Zooms and pans with the left hand, as in other timelines. Returns whether the key was used.
bool TimelineView::letterKey(int key) {
    switch (key) {
    case Qt::Key_W:
        return zoomCentre(0.5), true;
    case Qt::Key_S:
        return zoomCentre(2), true;
    case Qt::Key_A:
        return pan(-0.1), true;
    case Qt::Key_D:
        return pan(0.1), true;
    case Qt::Key_C:
        emit causeRequested();
        return true;
    default:
        return false;
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const bool shift = event->modifiers() & Qt::ShiftModifier, control = event->modifiers() & Qt::ControlModifier;
    const int along = event->key() == Qt::Key_Right ? 1 : -1, across = event->key() == Qt::Key_Down ? 1 : -1;
    auto* bar = verticalScrollBar();
    if (!(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) && letterKey(event->key()))
        return;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (selected() && !shift && !control)
            moveSelection(along, 0);
        else
            pan(along * (control ? 0.5 : 0.1));
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (control)
            zoomCentre(across < 0 ? 0.5 : 2);
        else if (selected() && !shift)
            moveSelection(0, across);
        else
            bar->setValue(bar->value() + across * scene().layout.height());
        return;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        bar->setValue(bar->value() + (event->key() == Qt::Key_PageDown ? 1 : -1) * bar->pageStep());
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomCentre(0.5);
    case Qt::Key_Minus:
        return zoomCentre(2);
    case Qt::Key_0:
    case Qt::Key_Home:
        return zoomAll();
    case Qt::Key_End:
        return showWindow(following(window(), limits()));
    case Qt::Key_F:
        return setFollow(!follow());
    case Qt::Key_BracketLeft:
        return stepIncident(-1);
    case Qt::Key_BracketRight:
        return stepIncident(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!selected() && brush())
            return zoomToBrush();
        if (!selected()) // starts with what is in the middle of the first lane
            select(scene().pickAt(
                scene().pointOf(scene().firstVisibleRank(), (window().lo + window().hi) / 2, LanePart::Phases)));
        emit detailsRequested();
        return;
    case Qt::Key_Escape:
        if (selected())
            return select(std::nullopt);
        if (brush())
            return setBrush(std::nullopt);
        break;
    default:
        break;
    }
    TimelineLanes::keyPressEvent(event);
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse)
        if (auto pick = scene().pickAt(viewport()->mapFrom(this, event->pos())))
            select(std::move(pick));
    emit menuRequested(event->globalPos());
}

QString TimelineView::tipAt(const QPoint& pixel) const {
    if (const auto* incident = scene().incidentAt(pixel))
        return plainToolTip(incident->sentence);
    if (const auto* annotation = scene().annotationAt(pixel))
        return plainToolTip(annotationTip(*annotation));
    if (pixel.y() < TimelineScene::kAxisHeight)
        return tr("Drag here, or Shift+drag on the lanes, to select a part");
    if (scene().trackRect().contains(pixel))
        return plainToolTip(scene().track.tip(scene().scale.ns(pixel.x() - TimelineScene::kLabelWidth + 0.5)));
    if (pixel.x() < TimelineScene::kLabelWidth) {
        const int rank = scene().rankAt(pixel);
        return rank < 0
                   ? QString()
                   : plainToolTip(QStringLiteral("%1: %2").arg(
                         ranksText({rank}), toQString(scene().ranks[static_cast<std::size_t>(rank)].status.words.text(
                                                currentLanguage()))));
    }
    const auto pick = scene().pickAt(pixel);
    return pick ? pickTip(*pick) : QString();
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipAt(help->pos());
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), tip, viewport());
        return true;
    }
    return TimelineLanes::viewportEvent(event);
}

} // namespace rankscope::ui
