// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_view.h"

#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

static constexpr int kBelowLanes = 24;    ///< lanes do not grow into these pixels
static constexpr int kLeastLanesPx = 150; ///< with less room for them the summary is not shown

bool TimelinePick::sameSpan(int ofRank, const TimelineSpan& other) const {
    return kind == Kind::Span && rank == ofRank && span.beginNs == other.beginNs && span.endNs == other.endNs &&
           span.collective == other.collective && span.phase == other.phase && span.sequence == other.sequence &&
           span.group == other.group;
}

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent), m_colours(TimelineColours::ofTheme()) {
    setAccessibleRole(this, QAccessible::Chart);
    setObjectName(QStringLiteral("timelineView"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_colours = TimelineColours::ofTheme();
        m_texts.clear();
        dirty();
    });
}

void TimelineView::clear() {
    m_reply.reset();
    m_overview.reset();
    m_ranks.clear();
    m_incidents.clear();
    m_openWaits.clear();
    m_hits.clear();
    m_hit = -1;
    m_selected.reset();
    m_brush.reset();
    m_visited = 0;
    m_track.set(nullptr);
    m_limits = m_scale.window = {0, 1e9};
    m_loading = m_live = false;
    verticalScrollBar()->setValue(0);
    updateScroll();
    dirty();
}

void TimelineView::dirty() {
    m_dirty = true;
    viewport()->update();
}

void TimelineView::setRanks(const std::vector<RankTile>& ranks, bool live) {
    const bool other = ranks.size() != m_ranks.size();
    m_ranks = ranks;
    m_live = live;
    if (other) {
        updateScroll();
        dirty();
        emit lanesChanged();
    }
    viewport()->update();
}

void TimelineView::setIncidents(QList<TimelineIncident> incidents) {
    m_incidents = std::move(incidents);
    viewport()->update();
}

void TimelineView::setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t startNs) {
    m_openWaits = std::move(waits);
    m_startNs = startNs;
    viewport()->update();
}

void TimelineView::setLimits(PlotRange limits) {
    limits.hi = std::max(limits.hi, limits.lo + TimeScale::kShortestNs);
    if (limits == m_limits)
        return;
    const bool whole = m_scale.window == m_limits;
    m_limits = limits;
    if (whole && (m_follow || !m_live))
        setWindow(limits);
    else if (m_follow)
        setWindow(following(m_scale.window, limits));
    else
        setWindow(clamped(m_scale.window, limits, TimeScale::kShortestNs));
}

void TimelineView::setReply(const TimelineReplyPtr& reply) {
    m_reply = reply;
    dirty();
}

void TimelineView::setOverview(const TimelineReplyPtr& reply) {
    m_overview = reply;
    dirty();
}

void TimelineView::setSummary(const TimelineSummaryPtr& summary) {
    m_track.set(summary);
    viewport()->update();
}

void TimelineView::setLoading(bool on) {
    if (m_loading == on)
        return;
    m_loading = on;
    viewport()->update();
}

void TimelineView::setHits(std::vector<TimelineHit> hits, int current) {
    m_hits = std::move(hits);
    m_hit = current;
    viewport()->update();
}

void TimelineView::setFollow(bool on) {
    if (m_follow == on)
        return;
    m_follow = on;
    if (on)
        setWindow(following(m_scale.window, m_limits));
    viewport()->update();
    emit followChanged(on);
}

void TimelineView::setWindow(PlotRange window) {
    if (window == m_scale.window)
        return;
    m_scale.window = window;
    dirty();
    emit windowChanged();
}

void TimelineView::showWindow(PlotRange window, bool byUser) {
    setWindow(clamped(window, m_limits, TimeScale::kShortestNs));
    if (!byUser || m_follow == isAtEnd())
        return;
    m_follow = !m_follow;
    emit followChanged(m_follow);
}

bool TimelineView::isAtEnd() const {
    return m_scale.window.hi >= m_limits.hi - 1;
}

void TimelineView::zoomCentre(double factor) {
    const PlotRange w = m_scale.window;
    showWindow(zoomed(w, m_live && m_follow ? w.hi : (w.lo + w.hi) / 2, factor, m_limits, TimeScale::kShortestNs));
}

void TimelineView::zoomAll() {
    showWindow(m_limits);
}

void TimelineView::pan(double share) {
    showWindow(panned(m_scale.window, share * m_scale.window.width(), m_limits));
}

void TimelineView::setBrush(std::optional<PlotRange> brush) {
    if (brush == m_brush)
        return;
    m_brush = brush;
    viewport()->update();
    emit brushChanged();
}

void TimelineView::zoomToBrush() {
    if (m_brush)
        showWindow(*m_brush);
}

void TimelineView::select(std::optional<TimelinePick> pick) {
    m_selected = std::move(pick);
    viewport()->update();
    emit selectionChanged();
}

void TimelineView::reveal(int rank, std::int64_t beginNs, std::int64_t endNs) {
    PlotRange window = m_scale.window;
    const auto begin = static_cast<double>(beginNs), end = static_cast<double>(endNs);
    const double length = std::max(end - begin, TimeScale::kShortestNs / 10);
    const double px = length / m_scale.nsPerPixel();
    if (px < 6 || px > 0.8 * m_scale.width) // it is to be seen, and its surroundings
        window = {begin - 2 * length, end + 2 * length};
    else if (begin < window.lo || end > window.hi)
        window = {begin + length / 2 - window.width() / 2, begin + length / 2 + window.width() / 2};
    showWindow(window);
    if (rank >= 0)
        showLane(rank);
}

void TimelineView::showLane(int rank) {
    auto* bar = verticalScrollBar();
    const int top = rank * m_layout.height();
    if (top < bar->value())
        bar->setValue(top);
    else if (top + m_layout.height() > bar->value() + lanesRect().height())
        bar->setValue(top + m_layout.height() - lanesRect().height());
}

void TimelineView::showSpan(int rank, const TimelineSpan& span, const QString& tag) {
    TimelinePick pick;
    pick.rank = rank;
    pick.span = span;
    pick.tag = tag;
    select(std::move(pick));
    reveal(rank, span.beginNs, span.endNs);
}

void TimelineView::stepIncident(int direction) {
    if (m_incidents.isEmpty())
        return;
    QList<const TimelineIncident*> order;
    for (const auto& incident : m_incidents)
        order.append(&incident);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->fromNs < b->fromNs; });
    const auto count = order.size();
    const auto visited = std::find_if(order.begin(), order.end(), [this](const auto* i) { return i->id == m_visited; });
    const PlotRange w = m_scale.window;
    qsizetype next = direction > 0 ? 0 : count - 1; // also of the whole run, and round and round
    if (visited != order.end() && w == m_visitedWindow) {
        next = (visited - order.begin() + direction + count) % count;
    } else if (w.width() < 0.999 * m_limits.width()) {
        const double middle = (w.lo + w.hi) / 2, slack = m_scale.nsPerPixel();
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
    const TimelineIncident& to = *order[next];
    const double length = std::max(to.toNs - to.fromNs, 1e6), centre = (to.fromNs + to.toNs) / 2;
    const double width = std::clamp(w.width(), 1.2 * length, 3 * length);
    const qint64 id = to.id; // what shows the window may get other incidents
    showWindow({centre - width / 2, centre + width / 2});
    m_visited = id;
    m_visitedWindow = m_scale.window;
}

bool TimelineView::serves(const TimelineReply* reply) const {
    return reply && reply->error.isEmpty() && wouldServe(reply->request);
}

bool TimelineView::wouldServe(const TimelineRequest& r) const {
    const double have = static_cast<double>(r.nsPerPixel), want = m_scale.nsPerPixel();
    const bool wide = static_cast<double>(r.fromNs) <= std::max(m_scale.window.lo, m_limits.lo) + want &&
                      static_cast<double>(r.toNs) >= std::min(m_scale.window.hi, m_limits.hi) - want;
    const bool lanes = r.firstRank <= firstVisibleRank() && r.lastRank >= lastVisibleRank();
    // much finer would show less than it could of sums, and costs; single spans are exact however fine
    return wide && lanes && have <= 1.3 * std::max(want, 1.0) && (want <= 2.5 * have || have <= 1);
}

const TimelineReply* TimelineView::best() const {
    if (serves(m_reply.get()))
        return m_reply.get();
    if (serves(m_overview.get()))
        return m_overview.get();
    return m_reply ? m_reply.get() : m_overview.get();
}

bool TimelineView::isServed() const {
    return serves(m_reply.get()) || serves(m_overview.get());
}

const TimelineLane* TimelineView::laneOf(int rank) const {
    const auto* reply = best();
    return reply ? reply->lane(rank) : nullptr;
}

std::vector<WaitArrow> TimelineView::arrows() const {
    const auto* reply = best();
    return reply ? arrowsOf(*reply, m_scale, 14, 250) : std::vector<WaitArrow>{};
}

QRect TimelineView::lanesRect() const {
    return {kLabelWidth, lanesTop(), std::max(viewport()->width() - kLabelWidth, 1),
            std::max(viewport()->height() - lanesTop(), 1)};
}

/// In a very low view the lanes need all of it.
int TimelineView::lanesTop() const {
    const bool room = viewport()->height() >= kAxisHeight + SummaryTrack::kHeight + kLeastLanesPx;
    return kAxisHeight + (room ? SummaryTrack::kHeight : 0);
}

QRect TimelineView::trackRect() const {
    return {kLabelWidth, kAxisHeight, std::max(viewport()->width() - kLabelWidth, 1), lanesTop() - kAxisHeight};
}

int TimelineView::laneTop(int rank) const {
    return lanesTop() + rank * m_layout.height() - verticalScrollBar()->value();
}

int TimelineView::firstVisibleRank() const {
    return std::clamp(verticalScrollBar()->value() / m_layout.height(), 0, std::max(rankCount() - 1, 0));
}

int TimelineView::lastVisibleRank() const {
    const int bottom = verticalScrollBar()->value() + lanesRect().height() - 1;
    return std::clamp(bottom / m_layout.height(), 0, std::max(rankCount() - 1, 0));
}

QPoint TimelineView::pointOf(int rank, double ns, LanePart part) const {
    const int y = part == LanePart::Collectives ? m_layout.collectiveTop() + m_layout.collectives / 2
                                                : m_layout.top + m_layout.phases / 2;
    return {kLabelWidth + static_cast<int>(std::floor(m_scale.x(ns))), laneTop(rank) + y};
}

void TimelineView::updateScroll() {
    auto* bar = verticalScrollBar();
    const LaneLayout layout = LaneLayout::of(rankCount(), lanesRect().height() - kBelowLanes);
    if (layout != m_layout) { // the first lane in view stays there
        const int first = firstVisibleRank();
        m_layout = layout;
        bar->setRange(0, std::max(rankCount() * layout.height() - lanesRect().height(), 0));
        bar->setValue(first * layout.height());
        dirty();
    }
    const int height = rankCount() * m_layout.height(), page = lanesRect().height();
    bar->setRange(0, std::max(height - page, 0));
    bar->setPageStep(page);
    bar->setSingleStep(m_layout.height());
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    const int selected = m_selected ? m_selected->rank : -1;
    const int bottom = selected >= 0 ? laneTop(selected) + m_layout.height() : 0;
    const bool wasSeen = selected >= 0 && laneTop(selected) >= lanesTop() && bottom <= event->oldSize().height();
    m_scale.width = lanesRect().width();
    updateScroll();
    if (wasSeen) // as when the pane of its details opens
        showLane(selected);
    dirty();
    emit windowChanged(); // as many pixels as now
}

void TimelineView::scrollContentsBy(int, int) {
    dirty();
    emit lanesChanged();
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange) {
        m_texts.clear();
        dirty();
    }
    QAbstractScrollArea::changeEvent(event);
}

} // namespace rankscope::ui
