// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, keys and tooltips of the lanes.
#include "widgets/models/text/tool_tip.h"
#include "widgets/models/text/text_format.h"
#include "widgets/timeline/view/span_text.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

/// Of what ascends by begin: the one at a time, or the nearest within `slack`; null: none.
template <class T> const T* nearestAt(const std::vector<T>& all, double ns, double slack, int row = -1) {
    const auto behind = std::partition_point(all.begin(), all.end(),
                                             [&](const T& s) { return static_cast<double>(s.beginNs) <= ns + slack; });
    const T* found = nullptr;
    double least = slack;
    int looked = 0;
    for (auto at = behind; at != all.begin() && looked < 256; ++looked) {
        --at;
        if constexpr (requires { at->row; })
            if (row >= 0 && at->row != row)
                continue;
        const double before = static_cast<double>(at->beginNs) - ns, after = ns - static_cast<double>(at->endNs);
        const double away = std::max({before, after, 0.0});
        if (away < least || (away <= least && !found)) {
            least = away;
            found = &*at;
        }
        if (found && away == 0)
            break;
    }
    return found;
}

} // namespace

std::optional<TimelinePick> TimelineView::pickAt(const QPoint& pixel) const {
    const auto* reply = best();
    if (!reply || !lanesRect().contains(pixel))
        return std::nullopt;
    const LaneHit hit = laneAt(pixel.y() - lanesTop() + verticalScrollBar()->value(), m_layout, rankCount());
    const auto* lane = hit.rank >= 0 ? reply->lane(hit.rank) : nullptr;
    if (!lane || hit.part == LanePart::None)
        return std::nullopt;
    TimelinePick pick;
    pick.rank = hit.rank;
    const double ns = m_scale.ns(pixel.x() - kLabelWidth + 0.5), slack = 2 * m_scale.nsPerPixel();
    const bool phases = hit.part == LanePart::Phases;
    const int within = pixel.y() - laneTop(hit.rank) - m_layout.collectiveTop();
    const int row = phases ? -1 : std::clamp(within * lane->rows / m_layout.collectives, 0, lane->rows - 1);
    const auto* column = nearestAt(phases ? lane->phaseColumns : lane->collectiveColumns, ns, slack / 2);
    const auto* span = nearestAt(phases ? lane->phases : lane->collectives, ns, column ? 0.0 : slack, row);
    if (span) {
        pick.span = *span;
        pick.tag = span->collective ? reply->tag(*span) : QString();
        return pick;
    }
    if (column) {
        pick.kind = column->count == 1 ? TimelinePick::Kind::Span : TimelinePick::Kind::Column;
        pick.column = *column;
        pick.span = column->longest;
        pick.tag = pick.span.collective ? reply->tag(pick.span) : QString();
        return pick;
    }
    if (const auto* sum = nearestAt(lane->sums, ns, slack)) {
        pick.kind = TimelinePick::Kind::Sum;
        pick.sum = *sum;
        pick.span.beginNs = sum->beginNs;
        pick.span.endNs = sum->endNs;
        pick.span.step = sum->firstStep;
        return pick;
    }
    return std::nullopt;
}

const TimelineIncident* TimelineView::incidentAt(const QPoint& pixel) const {
    if (pixel.y() >= kAxisHeight || pixel.y() < kAxisHeight - 12)
        return nullptr;
    for (const auto& incident : m_incidents)
        if (std::abs(kLabelWidth + std::max(m_scale.x(incident.fromNs), 0.0) - pixel.x()) <= 6)
            return &incident;
    return nullptr;
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = m_last = event->position().toPoint();
    m_moved = false;
    if (m_pressed.x() < kLabelWidth)
        return;
    const bool onAxis = m_pressed.y() < lanesTop(); // there, dragging selects
    m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Brush : onAxis ? Drag::BrushOrClick : Drag::Pan;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (m_drag == Drag::None)
        return;
    m_moved |= (at - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (m_moved && m_drag == Drag::Pan) {
        const QPoint by = at - m_last;
        showWindow(panned(m_scale.window, -by.x() * m_scale.nsPerPixel(), m_limits));
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (m_moved) {
        const double a = m_scale.ns(m_pressed.x() - kLabelWidth), b = m_scale.ns(at.x() - kLabelWidth);
        setBrush(PlotRange{std::max(std::min(a, b), m_limits.lo), std::min(std::max(a, b), m_limits.hi)});
    }
    m_last = at;
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    const Drag drag = std::exchange(m_drag, Drag::None);
    viewport()->unsetCursor();
    if (m_moved) {
        if (drag == Drag::Brush || drag == Drag::BrushOrClick)
            emit brushFinished();
        return;
    }
    const QPoint at = event->position().toPoint();
    if (const auto* incident = incidentAt(at))
        emit incidentActivated(incident->id);
    else if (drag == Drag::Brush || drag == Drag::BrushOrClick)
        setBrush(std::nullopt); // a click beside it
    else if (drag == Drag::Pan)
        select(pickAt(at));
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (at.y() < lanesTop() && m_brush)
        return zoomToBrush();
    if (const auto pick = pickAt(at)) {
        const double length = std::max(static_cast<double>(pick->span.lengthNs()), 10.0);
        const double begin = static_cast<double>(pick->span.beginNs);
        showWindow({begin - 0.1 * length, begin + 1.1 * length});
    }
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint at = event->position().toPoint();
    const QPoint delta = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier || at.x() < kLabelWidth) { // the lanes
        QAbstractScrollArea::wheelEvent(event);
        event->accept();
    } else if (event->modifiers() & Qt::ShiftModifier || std::abs(delta.x()) > std::abs(delta.y())) {
        const int by = delta.x() != 0 ? delta.x() : delta.y();
        pan(-by / 120.0 * 0.1);
        event->accept();
    } else if (delta.y() != 0) {
        // what follows keeps the end in view
        const double centre = m_live && m_follow ? m_scale.window.hi : m_scale.ns(at.x() - kLabelWidth);
        showWindow(zoomed(m_scale.window, centre, std::pow(0.8, delta.y() / 120.0), m_limits, TimeScale::kShortestNs));
        event->accept();
    }
}

/// To the span beside the selected one, or to the lane above or below.
void TimelineView::moveSelection(int along, int across) {
    const auto* reply = best();
    if (!reply || !m_selected)
        return;
    const int rank = std::clamp(m_selected->rank + across, 0, std::max(rankCount() - 1, 0));
    const auto* lane = reply->lane(rank);
    if (!lane)
        return;
    const TimelineSpan& now = m_selected->span;
    const auto& spans = now.collective ? lane->collectives : lane->phases;
    const TimelineSpan* to = nullptr;
    if (across != 0) {
        if (now.collective) // of the same collective, if it is there
            for (const TimelineSpan& span : spans)
                if (span.group == now.group && span.sequence == now.sequence)
                    to = &span;
        if (!to)
            to = nearestAt(spans, static_cast<double>(now.beginNs + now.endNs) / 2, 1e18);
    } else {
        for (const TimelineSpan& span : spans) {
            if (along > 0 && span.beginNs > now.beginNs && (!to || span.beginNs < to->beginNs))
                to = &span;
            if (along < 0 && span.beginNs < now.beginNs && (!to || span.beginNs > to->beginNs))
                to = &span;
        }
    }
    if (!to)
        return;
    TimelinePick pick;
    pick.rank = rank;
    pick.span = *to;
    pick.tag = to->collective ? reply->tag(*to) : QString();
    select(pick);
    reveal(rank, pick.span.beginNs, pick.span.endNs);
}

/// Zoom and pan with the left hand, as in other timelines.
bool TimelineView::letterKey(int key) {
    switch (key) {
    case Qt::Key_W:
        zoomCentre(0.5);
        return true;
    case Qt::Key_S:
        zoomCentre(2);
        return true;
    case Qt::Key_A:
        pan(-0.1);
        return true;
    case Qt::Key_D:
        pan(0.1);
        return true;
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
        if (m_selected && !shift && !control)
            moveSelection(along, 0);
        else
            pan(along * (control ? 0.5 : 0.1));
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (control)
            zoomCentre(across < 0 ? 0.5 : 2);
        else if (m_selected && !shift)
            moveSelection(0, across);
        else
            bar->setValue(bar->value() + across * m_layout.height());
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
        return showWindow(following(m_scale.window, m_limits));
    case Qt::Key_F:
        return setFollow(!m_follow);
    case Qt::Key_BracketLeft:
        return stepIncident(-1);
    case Qt::Key_BracketRight:
        return stepIncident(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!m_selected && m_brush)
            return zoomToBrush();
        if (!m_selected) // something to begin with: what is in the middle of the first lane
            select(pickAt(pointOf(firstVisibleRank(), (m_scale.window.lo + m_scale.window.hi) / 2, LanePart::Phases)));
        emit detailsRequested();
        return;
    case Qt::Key_Escape:
        if (m_selected)
            return select(std::nullopt);
        if (m_brush)
            return setBrush(std::nullopt);
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse)
        if (auto pick = pickAt(viewport()->mapFrom(this, event->pos())))
            select(std::move(pick));
    emit menuRequested(event->globalPos());
}

QString TimelineView::tipAt(const QPoint& pixel) const {
    if (const auto* incident = incidentAt(pixel))
        return plainToolTip(incident->sentence);
    if (pixel.y() < kAxisHeight)
        return tr("Drag here, or with Shift held on the lanes, to select a part");
    if (trackRect().contains(pixel))
        return plainToolTip(m_track.tip(m_scale.ns(pixel.x() - kLabelWidth + 0.5)));
    if (pixel.x() < kLabelWidth) {
        const LaneHit hit = laneAt(pixel.y() - lanesTop() + verticalScrollBar()->value(), m_layout, rankCount());
        return hit.rank < 0
                   ? QString()
                   : plainToolTip(QStringLiteral("%1: %2").arg(
                         ranksText({hit.rank}), toQString(m_ranks[static_cast<std::size_t>(hit.rank)].status.words)));
    }
    const auto pick = pickAt(pixel);
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
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace rankscope::ui
