// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_lanes.h"

#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr int kBelowLanes = 24; ///< pixels that lanes do not grow into

TimelineLanes::TimelineLanes(QWidget* parent) : QAbstractScrollArea(parent), m_painter(m_scene) {
    m_scene.size = viewport()->size();
    setAccessibleRole(this, QAccessible::Chart);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_painter.restyle();
        viewport()->update();
    });
}

void TimelineLanes::clear() {
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

void TimelineLanes::dirty() {
    m_painter.invalidate();
    viewport()->update();
}

void TimelineLanes::setRanks(const std::vector<RankTile>& ranks, bool live) {
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

void TimelineLanes::setIncidents(QList<TimelineIncident> incidents) {
    m_scene.incidents = std::move(incidents);
    viewport()->update();
}

void TimelineLanes::setAnnotations(std::vector<launch::Annotation> annotations) {
    m_scene.flags.set(std::move(annotations));
    viewport()->update();
}

void TimelineLanes::selectAnnotation(qint64 id) {
    m_scene.flags.select(id);
    viewport()->update();
}

void TimelineLanes::setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t startNs, std::int64_t untilNs) {
    m_scene.track.setOpenWaits(waits, startNs, m_scene.rankCount(),
                               m_scene.live ? std::nullopt : std::optional(untilNs));
    m_scene.openUntilNs = untilNs;
    m_scene.openWaits = std::move(waits);
    m_scene.startNs = startNs;
    viewport()->update();
}

void TimelineLanes::setLimits(PlotRange limits) {
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

void TimelineLanes::setReply(const TimelineReplyPtr& reply) {
    m_scene.reply = reply;
    m_scene.recordedNs = reply->lastNs;
    dirty();
}

void TimelineLanes::setOverview(const TimelineReplyPtr& reply) {
    m_scene.overview = reply;
    m_scene.recordedNs = reply->lastNs;
    dirty();
}

void TimelineLanes::setSummary(const TimelineSummaryPtr& summary) {
    m_scene.track.set(summary);
    viewport()->update();
}

void TimelineLanes::setLoading(bool on) {
    if (m_scene.loading == on)
        return;
    m_scene.loading = on;
    viewport()->update();
}

void TimelineLanes::setHits(std::vector<TimelineHit> hits, int current) {
    m_scene.hits = std::move(hits);
    m_scene.hit = current;
    viewport()->update();
}

void TimelineLanes::setFollow(bool on) {
    if (m_follow == on)
        return;
    m_follow = on;
    if (on)
        setWindow(following(m_scene.scale.window, m_scene.limits));
    viewport()->update();
    emit followChanged(on);
}

void TimelineLanes::setWindow(PlotRange window) {
    if (window == m_scene.scale.window)
        return;
    m_scene.scale.window = window;
    dirty();
    emit windowChanged();
}

void TimelineLanes::showWindow(PlotRange window, bool byUser) {
    setWindow(clamped(window, m_scene.limits, TimeScale::kShortestNs));
    if (!byUser || m_follow == isAtEnd())
        return;
    m_follow = !m_follow;
    emit followChanged(m_follow);
}

bool TimelineLanes::isAtEnd() const {
    return m_scene.scale.window.hi >= m_scene.limits.hi - 1;
}

void TimelineLanes::zoomCentre(double factor) {
    const PlotRange w = m_scene.scale.window;
    showWindow(
        zoomed(w, m_scene.live && m_follow ? w.hi : (w.lo + w.hi) / 2, factor, m_scene.limits, TimeScale::kShortestNs));
}

void TimelineLanes::zoomAll() {
    showWindow(m_scene.limits);
}

void TimelineLanes::pan(double share) {
    showWindow(panned(m_scene.scale.window, share * m_scene.scale.window.width(), m_scene.limits));
}

void TimelineLanes::setBrush(std::optional<PlotRange> brush) {
    if (brush == m_scene.brush)
        return;
    m_scene.brush = brush;
    viewport()->update();
    emit brushChanged();
}

void TimelineLanes::zoomToBrush() {
    if (m_scene.brush)
        showWindow(*m_scene.brush);
}

void TimelineLanes::select(std::optional<TimelinePick> pick) {
    m_scene.selected = std::move(pick);
    viewport()->update();
    emit selectionChanged();
}

void TimelineLanes::reveal(int rank, std::int64_t beginNs, std::int64_t endNs) {
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

void TimelineLanes::zoomTo(const TimelineSpan& span) {
    const double length = std::max(static_cast<double>(span.lengthNs()), 10.0),
                 begin = static_cast<double>(span.beginNs);
    showWindow({begin - 0.1 * length, begin + 1.1 * length});
}

void TimelineLanes::showLane(int rank) {
    auto* bar = verticalScrollBar();
    const int top = rank * m_scene.layout.height();
    if (top < bar->value())
        bar->setValue(top);
    else if (top + m_scene.layout.height() > bar->value() + m_scene.lanesRect().height())
        bar->setValue(top + m_scene.layout.height() - m_scene.lanesRect().height());
}

void TimelineLanes::showSpan(int rank, const TimelineSpan& span, const QString& tag) {
    select(TimelinePick{.rank = rank, .span = span, .tag = tag});
    reveal(rank, span.beginNs, span.endNs);
}

void TimelineLanes::stepIncident(int direction) {
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

void TimelineLanes::showIncident(qint64 id) {
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

void TimelineLanes::showMoment(double ns) {
    constexpr double kEnoughNs = 1e9; // even of a short run
    const double width = std::min(m_scene.scale.window.width(), std::max(m_scene.limits.width() / 10, kEnoughNs));
    showWindow({ns - width / 2, ns + width / 2});
}

void TimelineLanes::updateScroll() {
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

void TimelineLanes::resizeEvent(QResizeEvent* event) {
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

void TimelineLanes::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    m_painter.paint(painter, devicePixelRatioF(), hasFocus());
}

void TimelineLanes::scrollContentsBy(int, int) {
    m_scene.scrolled = verticalScrollBar()->value();
    dirty();
    emit lanesChanged();
}

void TimelineLanes::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange) {
        m_painter.restyle();
        viewport()->update();
    }
    QAbstractScrollArea::changeEvent(event);
}

} // namespace rankscope::ui
