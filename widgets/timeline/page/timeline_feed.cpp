// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_feed.h"

#include "widgets/models/run/run_session.h"
#include "widgets/timeline/view/timeline_view.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr int kAskDelayMs = 30;
constexpr int kLeastRefreshMs = 300;
constexpr std::int64_t kRefreshShare = 6; ///< a live run is read again after this many times the duration of a reading
} // namespace

TimelineFeed::TimelineFeed(QWidget* page, TimelineView* view, TimelineLoader* loader)
    : QObject(page), m_page(page), m_view(view), m_loader(loader) {
    m_askTimer.setSingleShot(true);
    m_storeTimer.setSingleShot(true);
    connect(&m_askTimer, &QTimer::timeout, this, &TimelineFeed::ask);
    connect(&m_storeTimer, &QTimer::timeout, this, &TimelineFeed::storeChanged);
    connect(loader, &TimelineLoader::read, this,
            [this](const TimelineReplyPtr& reply) { take(reply, m_asked, &TimelineView::setReply); });
    connect(loader, &TimelineLoader::overviewRead, this,
            [this](const TimelineReplyPtr& reply) { take(reply, m_overviewUnderway, &TimelineView::setOverview); });
    connect(loader, &TimelineLoader::summaryRead, view, &TimelineView::setSummary);
    connect(view, &TimelineView::lanesChanged, this, &TimelineFeed::scheduleRequest);
}

void TimelineFeed::setSession(RunSession* session) {
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    m_askTimer.stop();
    m_storeTimer.stop();
    m_lastNs = m_lastReadNs = 0;
    m_storeIsNewer = m_overviewAsked = false;
    m_problem.clear();
    m_asked.reset();
    m_overviewUnderway.reset();
    if (session)
        connect(session, &RunSession::storeChanged, this, &TimelineFeed::noteStoreChange);
}

void TimelineFeed::noteStoreChange() {
    m_storeIsNewer = true;
    if (!m_page->isVisible() || m_storeTimer.isActive())
        return;
    const auto rest = static_cast<int>(std::min<std::int64_t>(m_lastReadNs * kRefreshShare / 1'000'000, 60'000));
    m_storeTimer.start(std::max(kLeastRefreshMs, rest));
}

void TimelineFeed::pageShown() {
    if (m_storeIsNewer)
        storeChanged();
    ask();
}

bool TimelineFeed::isComplete() const {
    // what is served is not requested again, however often a live run triggers this
    return m_overviewAsked && m_view->scene().isServed() && !m_loader->isBusy() && !m_loader->isSummarising();
}

TimelineRequest TimelineFeed::requestFor(PlotRange range) const {
    TimelineRequest request;
    request.store = m_session->run().store();
    request.fromNs = static_cast<std::int64_t>(std::floor(range.lo));
    request.toNs = static_cast<std::int64_t>(std::ceil(range.hi));
    // for a live run, includes some time to come, so that passing time alone triggers no reading
    if (m_view->scene().live && range.hi >= m_view->limits().hi)
        request.toNs += static_cast<std::int64_t>(std::max(0.25 * range.width(), 1e10));
    // also lanes above and below, so that a little scrolling needs no reading
    const int margin = 4;
    request.firstRank = std::max(m_view->scene().firstVisibleRank() - margin, 0);
    request.lastRank =
        std::min(m_view->scene().lastVisibleRank() + margin, std::max(m_view->scene().rankCount() - 1, 0));
    request.nsPerPixel = std::max<std::int64_t>(static_cast<std::int64_t>(m_view->scene().scale.nsPerPixel()), 1);
    return request;
}

void TimelineFeed::requestSummary(bool again) {
    if (!m_session || m_loader->isSummarising() || m_view->scene().scale.width < 2 ||
        (!again && m_view->scene().track.serves(m_view->scene().scale, m_view->limits())))
        return;
    // the same width again on either side, so that a pan needs no reading
    const PlotRange w = m_view->window(), all = m_view->limits();
    const double lo = std::max(w.lo - w.width(), all.lo);
    double hi = std::min(w.hi + w.width(), all.hi);
    if (m_view->scene().live && hi >= all.hi) // as in requestFor()
        hi += std::max(0.25 * w.width(), 1e10);
    const double columns = std::ceil(m_view->scene().scale.width / 2 * (hi - lo) / std::max(w.width(), 1.0));
    m_loader->requestSummary({m_session->run().store(), static_cast<std::int64_t>(std::floor(lo)),
                              static_cast<std::int64_t>(std::ceil(hi)),
                              static_cast<int>(std::clamp(columns, 64.0, 4096.0))});
}

void TimelineFeed::request(const TimelineRequest& wanted) {
    m_asked = wanted;
    m_loader->request(wanted);
}

void TimelineFeed::requestOverview(const TimelineRequest& wanted) {
    m_overviewUnderway = wanted;
    m_loader->requestOverview(wanted);
}

void TimelineFeed::scheduleRequest() {
    if (!m_askTimer.isActive())
        m_askTimer.start(kAskDelayMs);
}

void TimelineFeed::ask() {
    if (!m_session || !m_page->isVisible() || m_view->scene().rankCount() == 0 || m_session->view().nowNs == 0)
        return;
    const bool whole = m_view->window().width() >= 0.999 * m_view->limits().width();
    // a request in progress is not replaced, because a pan would then cancel it again and again
    const auto comes = [this](const auto& underway) { return underway && m_view->scene().wouldServe(*underway); };
    if (!m_overviewAsked || (whole && !m_view->scene().isServed() && !comes(m_overviewUnderway))) {
        m_overviewAsked = true;
        auto wanted = requestFor(m_view->limits());
        wanted.nsPerPixel = std::max<std::int64_t>(
            static_cast<std::int64_t>(m_view->limits().width() / std::max(m_view->scene().scale.width, 1.0)), 1);
        requestOverview(wanted);
    }
    if (!whole && !m_view->scene().isServed() && !comes(m_asked)) {
        const PlotRange w = m_view->window();
        request(requestFor({std::max(w.lo - w.width(), m_view->limits().lo - 1e9),
                            std::min(w.hi + w.width(), m_view->limits().hi + 1e9)}));
    }
    requestSummary(false);
    m_view->setLoading(m_loader->isBusy() && !m_view->scene().isServed());
}

/// Reads what is in view again, because the store has changed.
void TimelineFeed::storeChanged() {
    if (!m_session || !m_page->isVisible())
        return;
    if (m_loader->isBusy()) { // one request at a time
        m_storeTimer.start(kLeastRefreshMs);
        return;
    }
    m_storeIsNewer = false;
    emit readAgain();
    requestSummary(true);
    const PlotRange w = m_view->window();
    const bool atEnd = w.hi >= m_view->limits().hi - w.width() || static_cast<double>(m_lastNs) <= w.hi;
    if (w.width() >= 0.999 * m_view->limits().width())
        requestOverview(requestFor(m_view->limits()));
    else if (atEnd || !m_view->scene().isServed())
        request(requestFor({std::max(w.lo - w.width(), m_view->limits().lo - 1e9), w.hi + w.width()}));
}

/// Shows an answer, if there is one, and requests what is still missing.
void TimelineFeed::take(const TimelineReplyPtr& reply, std::optional<TimelineRequest>& underway,
                        void (TimelineView::*show)(const TimelineReplyPtr&)) {
    underway.reset();
    m_lastReadNs = reply->readNs;
    m_lastNs = std::max(m_lastNs, reply->lastNs);
    // if the run's folder is gone, a notice says so
    m_problem = m_session && m_session->view().goneRealtimeNs != 0 ? QString() : reply->error;
    if (m_problem.isEmpty())
        (m_view->*show)(reply);
    emit answered();
    m_view->setLoading(m_loader->isBusy() && !m_view->scene().isServed());
    if (m_problem.isEmpty()) // after an error, only a change triggers another request
        scheduleRequest();
}

} // namespace rankscope::ui
