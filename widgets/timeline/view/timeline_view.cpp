// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_view.h"

#include "widgets/models/run/plot_extras_loader.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/view/span_text.h"

#include <QApplication>
#include <QEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

static constexpr int kBelowLanes = 24; ///< pixels that lanes do not grow into

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent), m_painter(m_scene) {
    m_scene.size = viewport()->size();
    setAccessibleRole(this, QAccessible::Chart);
    setObjectName(QStringLiteral("timelineView"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_painter.restyle();
        viewport()->update();
    });
}

void TimelineView::clear() {
    TimelineScene empty;
    empty.size = m_scene.size;
    empty.scrolled = m_scene.scrolled;
    empty.scale.width = m_scene.scale.width;
    empty.layout = m_scene.layout;
    m_scene = std::move(empty);
    m_visited = 0;
    verticalScrollBar()->setValue(0);
    updateScroll();
    dirty();
}

void TimelineView::dirty() {
    m_painter.invalidate();
    viewport()->update();
}

void TimelineView::setRanks(const std::vector<RankTile>& ranks, bool live) {
    const bool other = ranks.size() != m_scene.ranks.size();
    m_scene.ranks = ranks;
    const bool ended = std::exchange(m_scene.live, live) && !live;
    if (ended && m_follow) // the run that was followed has ended: show all of it
        setWindow(m_scene.limits);
    if (other) {
        updateScroll();
        dirty();
        emit lanesChanged();
    }
    viewport()->update();
}

void TimelineView::setIncidents(QList<TimelineIncident> incidents) {
    m_scene.incidents = std::move(incidents);
    viewport()->update();
}

void TimelineView::setAnnotations(std::vector<launch::Annotation> annotations) {
    m_scene.flags.set(std::move(annotations));
    viewport()->update();
}

void TimelineView::selectAnnotation(qint64 id) {
    m_scene.flags.select(id);
    viewport()->update();
}

void TimelineView::setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t startNs) {
    m_scene.track.setOpenWaits(waits, startNs, m_scene.rankCount());
    m_scene.openWaits = std::move(waits);
    m_scene.startNs = startNs;
    viewport()->update();
}

void TimelineView::setLimits(PlotRange limits) {
    limits.hi = std::max(limits.hi, limits.lo + TimeScale::kShortestNs);
    if (limits == m_scene.limits)
        return;
    const bool whole = showsAll();
    m_scene.limits = limits;
    if (whole && (m_follow || !m_scene.live))
        setWindow(limits);
    else if (m_follow)
        setWindow(following(m_scene.scale.window, limits));
    else
        setWindow(clamped(m_scene.scale.window, limits, TimeScale::kShortestNs));
}

void TimelineView::setReply(const TimelineReplyPtr& reply) {
    m_scene.reply = reply;
    m_scene.recordedNs = reply->lastNs;
    dirty();
}

void TimelineView::setOverview(const TimelineReplyPtr& reply) {
    m_scene.overview = reply;
    m_scene.recordedNs = reply->lastNs;
    dirty();
}

void TimelineView::setSummary(const TimelineSummaryPtr& summary) {
    m_scene.track.set(summary);
    viewport()->update();
}

void TimelineView::setLoading(bool on) {
    if (m_scene.loading == on)
        return;
    m_scene.loading = on;
    viewport()->update();
}

void TimelineView::setHits(std::vector<TimelineHit> hits, int current) {
    m_scene.hits = std::move(hits);
    m_scene.hit = current;
    viewport()->update();
}

void TimelineView::setFollow(bool on) {
    if (m_follow == on)
        return;
    m_follow = on;
    if (on)
        setWindow(following(m_scene.scale.window, m_scene.limits));
    viewport()->update();
    emit followChanged(on);
}

void TimelineView::setWindow(PlotRange window) {
    if (window == m_scene.scale.window)
        return;
    m_scene.scale.window = window;
    dirty();
    emit windowChanged();
}

void TimelineView::showWindow(PlotRange window, bool byUser) {
    setWindow(clamped(window, m_scene.limits, TimeScale::kShortestNs));
    if (!byUser || m_follow == isAtEnd())
        return;
    m_follow = !m_follow;
    emit followChanged(m_follow);
}

bool TimelineView::isAtEnd() const {
    return m_scene.scale.window.hi >= m_scene.limits.hi - 1;
}

void TimelineView::zoomCentre(double factor) {
    const PlotRange w = m_scene.scale.window;
    showWindow(
        zoomed(w, m_scene.live && m_follow ? w.hi : (w.lo + w.hi) / 2, factor, m_scene.limits, TimeScale::kShortestNs));
}

void TimelineView::zoomAll() {
    showWindow(m_scene.limits);
}

void TimelineView::pan(double share) {
    showWindow(panned(m_scene.scale.window, share * m_scene.scale.window.width(), m_scene.limits));
}

void TimelineView::setBrush(std::optional<PlotRange> brush) {
    if (brush == m_scene.brush)
        return;
    m_scene.brush = brush;
    viewport()->update();
    emit brushChanged();
}

void TimelineView::zoomToBrush() {
    if (m_scene.brush)
        showWindow(*m_scene.brush);
}

void TimelineView::select(std::optional<TimelinePick> pick) {
    m_scene.selected = std::move(pick);
    viewport()->update();
    emit selectionChanged();
}

void TimelineView::reveal(int rank, std::int64_t beginNs, std::int64_t endNs) {
    PlotRange window = m_scene.scale.window;
    const auto begin = static_cast<double>(beginNs), end = static_cast<double>(endNs);
    const double length = std::max(end - begin, TimeScale::kShortestNs / 10);
    const double px = length / m_scene.scale.nsPerPixel();
    if (px < 6 || px > 0.8 * m_scene.scale.width) // shows it with its surroundings
        window = {begin - 2 * length, end + 2 * length};
    else if (begin < window.lo || end > window.hi)
        window = {begin + length / 2 - window.width() / 2, begin + length / 2 + window.width() / 2};
    showWindow(window);
    if (rank >= 0)
        showLane(rank);
}

void TimelineView::zoomTo(const TimelineSpan& span) {
    const double length = std::max(static_cast<double>(span.lengthNs()), 10.0),
                 begin = static_cast<double>(span.beginNs);
    showWindow({begin - 0.1 * length, begin + 1.1 * length});
}

void TimelineView::showLane(int rank) {
    auto* bar = verticalScrollBar();
    const int top = rank * m_scene.layout.height();
    if (top < bar->value())
        bar->setValue(top);
    else if (top + m_scene.layout.height() > bar->value() + m_scene.lanesRect().height())
        bar->setValue(top + m_scene.layout.height() - m_scene.lanesRect().height());
}

void TimelineView::showSpan(int rank, const TimelineSpan& span, const QString& tag) {
    select(TimelinePick{.rank = rank, .span = span, .tag = tag});
    reveal(rank, span.beginNs, span.endNs);
}

void TimelineView::stepIncident(int direction) {
    if (m_scene.incidents.isEmpty())
        return;
    QList<const TimelineIncident*> order;
    for (const auto& incident : m_scene.incidents)
        order.append(&incident);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->fromNs < b->fromNs; });
    const auto count = order.size();
    const auto visited = std::find_if(order.begin(), order.end(), [this](const auto* i) { return i->id == m_visited; });
    const PlotRange w = m_scene.scale.window;
    qsizetype next = direction > 0 ? 0 : count - 1; // goes through the whole run and wraps around
    if (visited != order.end() && w == m_visitedWindow) {
        next = (visited - order.begin() + direction + count) % count;
    } else if (w.width() < 0.999 * m_scene.limits.width()) {
        const double middle = (w.lo + w.hi) / 2, slack = m_scene.scale.nsPerPixel();
        const auto beyond = [&](const TimelineIncident* i) {
            return direction * ((i->fromNs + i->toNs) / 2 - middle) > slack;
        };
        const auto after = std::find_if(order.begin(), order.end(), beyond);
        const auto before = std::find_if(order.rbegin(), order.rend(), beyond);
        if (direction > 0 && after != order.end())
            next = after - order.begin();
        else if (direction < 0 && before != order.rend())
            next = count - 1 - (before - order.rbegin());
    }
    showIncident(order[next]->id);
}

void TimelineView::showIncident(qint64 id) {
    const auto to = std::find_if(m_scene.incidents.cbegin(), m_scene.incidents.cend(),
                                 [id](const TimelineIncident& incident) { return incident.id == id; });
    if (to == m_scene.incidents.cend())
        return;
    const double length = std::max(to->toNs - to->fromNs, 1e6), centre = (to->fromNs + to->toNs) / 2;
    const double width = std::clamp(m_scene.scale.window.width(), 1.2 * length, 3 * length);
    // receivers of the window's change may replace the incidents
    showWindow({centre - width / 2, centre + width / 2});
    m_visited = id;
    m_visitedWindow = m_scene.scale.window;
}

void TimelineView::showMoment(double ns) {
    constexpr double kEnoughNs = 1e9; // even of a short run
    const double width = std::min(m_scene.scale.window.width(), std::max(m_scene.limits.width() / 10, kEnoughNs));
    showWindow({ns - width / 2, ns + width / 2});
}

void TimelineView::updateScroll() {
    auto* bar = verticalScrollBar();
    const LaneLayout layout = LaneLayout::of(m_scene.rankCount(), m_scene.lanesRect().height() - kBelowLanes);
    if (layout != m_scene.layout) { // keeps the first lane in view in its place
        const int first = m_scene.firstVisibleRank();
        m_scene.layout = layout;
        bar->setRange(0, std::max(m_scene.rankCount() * layout.height() - m_scene.lanesRect().height(), 0));
        bar->setValue(first * layout.height());
        dirty();
    }
    const int height = m_scene.rankCount() * m_scene.layout.height(), page = m_scene.lanesRect().height();
    bar->setRange(0, std::max(height - page, 0));
    bar->setPageStep(page);
    bar->setSingleStep(m_scene.layout.height());
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    m_scene.size = viewport()->size();
    const int selected = m_scene.selected ? m_scene.selected->rank : -1;
    const int bottom = selected >= 0 ? m_scene.laneTop(selected) + m_scene.layout.height() : 0;
    const bool wasSeen =
        selected >= 0 && m_scene.laneTop(selected) >= m_scene.lanesTop() && bottom <= event->oldSize().height();
    m_scene.scale.width = m_scene.lanesRect().width();
    updateScroll();
    if (wasSeen) // for example when its details pane opens
        showLane(selected);
    dirty();
    emit lanesChanged(); // other lanes, or the same at other pixels
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    m_painter.paint(painter, devicePixelRatioF(), hasFocus());
}

void TimelineView::scrollContentsBy(int, int) {
    m_scene.scrolled = verticalScrollBar()->value();
    dirty();
    emit lanesChanged();
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange) {
        m_painter.restyle();
        viewport()->update();
    }
    QAbstractScrollArea::changeEvent(event);
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = m_last = event->position().toPoint();
    m_moved = false;
    if (m_pressed.x() < TimelineScene::kLabelWidth)
        return;
    const bool onAxis = m_pressed.y() < m_scene.lanesTop(); // on the axis, dragging selects
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
        showWindow(panned(m_scene.scale.window, -by.x() * m_scene.scale.nsPerPixel(), m_scene.limits));
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (m_moved) {
        const double a = m_scene.scale.ns(m_pressed.x() - TimelineScene::kLabelWidth),
                     b = m_scene.scale.ns(at.x() - TimelineScene::kLabelWidth);
        setBrush(PlotRange{std::max(std::min(a, b), m_scene.limits.lo), std::min(std::max(a, b), m_scene.limits.hi)});
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
    if (const auto* incident = m_scene.incidentAt(at))
        emit incidentActivated(incident->id);
    else if (const auto* annotation = m_scene.annotationAt(at))
        activateAnnotation(annotation->id);
    else if (drag == TimelineDrag::Brush || drag == TimelineDrag::BrushOrClick)
        setBrush(std::nullopt); // a click outside it
    else if (drag == TimelineDrag::Pan)
        select(m_scene.pickAt(at));
}

void TimelineView::activateAnnotation(qint64 id) {
    selectAnnotation(id);
    emit annotationActivated(id);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (at.y() < m_scene.lanesTop() && m_scene.brush)
        return zoomToBrush();
    if (const auto pick = m_scene.pickAt(at))
        zoomTo(pick->span);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint at = event->position().toPoint();
    const QPoint delta = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier || at.x() < TimelineScene::kLabelWidth) { // scrolls the lanes
        QAbstractScrollArea::wheelEvent(event);
        event->accept();
    } else if (event->modifiers() & Qt::ShiftModifier || std::abs(delta.x()) > std::abs(delta.y())) {
        const int by = delta.x() != 0 ? delta.x() : delta.y();
        pan(-by / 120.0 * 0.1);
        event->accept();
    } else if (delta.y() != 0) {
        // a view that follows keeps the end in view
        const double centre =
            m_scene.live && m_follow ? m_scene.scale.window.hi : m_scene.scale.ns(at.x() - TimelineScene::kLabelWidth);
        showWindow(zoomed(m_scene.scale.window, centre, std::pow(0.8, delta.y() / 120.0), m_scene.limits,
                          TimeScale::kShortestNs));
        event->accept();
    }
}

/// Selects the span next to the selected one, or that in the lane above or below.
void TimelineView::moveSelection(int along, int across) {
    const auto to = m_scene.neighbour(along, across);
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
        if (m_scene.selected && !shift && !control)
            moveSelection(along, 0);
        else
            pan(along * (control ? 0.5 : 0.1));
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (control)
            zoomCentre(across < 0 ? 0.5 : 2);
        else if (m_scene.selected && !shift)
            moveSelection(0, across);
        else
            bar->setValue(bar->value() + across * m_scene.layout.height());
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
        return showWindow(following(m_scene.scale.window, m_scene.limits));
    case Qt::Key_F:
        return setFollow(!m_follow);
    case Qt::Key_BracketLeft:
        return stepIncident(-1);
    case Qt::Key_BracketRight:
        return stepIncident(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!m_scene.selected && m_scene.brush)
            return zoomToBrush();
        if (!m_scene.selected) // starts with what is in the middle of the first lane
            select(m_scene.pickAt(m_scene.pointOf(m_scene.firstVisibleRank(),
                                                  (m_scene.scale.window.lo + m_scene.scale.window.hi) / 2,
                                                  LanePart::Phases)));
        emit detailsRequested();
        return;
    case Qt::Key_Escape:
        if (m_scene.selected)
            return select(std::nullopt);
        if (m_scene.brush)
            return setBrush(std::nullopt);
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse)
        if (auto pick = m_scene.pickAt(viewport()->mapFrom(this, event->pos())))
            select(std::move(pick));
    emit menuRequested(event->globalPos());
}

QString TimelineView::tipAt(const QPoint& pixel) const {
    if (const auto* incident = m_scene.incidentAt(pixel))
        return plainToolTip(incident->sentence);
    if (const auto* annotation = m_scene.annotationAt(pixel))
        return plainToolTip(annotationTip(*annotation));
    if (pixel.y() < TimelineScene::kAxisHeight)
        return tr("Drag here, or Shift+drag on the lanes, to select a part");
    if (m_scene.trackRect().contains(pixel))
        return plainToolTip(m_scene.track.tip(m_scene.scale.ns(pixel.x() - TimelineScene::kLabelWidth + 0.5)));
    if (pixel.x() < TimelineScene::kLabelWidth) {
        const int rank = m_scene.rankAt(pixel);
        return rank < 0
                   ? QString()
                   : plainToolTip(QStringLiteral("%1: %2").arg(
                         ranksText({rank}), toQString(m_scene.ranks[static_cast<std::size_t>(rank)].status.words.text(
                                                currentLanguage()))));
    }
    const auto pick = m_scene.pickAt(pixel);
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
