// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_impl.h"

#include "core/base/values/clock.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/fonts.h"
#include "widgets/timeline/view/span_text.h"

#include <QApplication>
#include <QBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr int kAskDelayMs = 30;
constexpr int kSearchDelayMs = 250;
constexpr int kLeastRefreshMs = 300;
constexpr double kSettledNs = 2e10; ///< ranks are no more apart than that, as a rule
constexpr int kLeastLanes = 210, kLeastBelow = 230;
constexpr int kNowMs = 200;               ///< how often a live run's end moves
constexpr std::int64_t kRefreshShare = 6; ///< a live run is read again after so many times what reading took
} // namespace

TimelinePage::Impl::Impl(TimelinePage* timelinePage) : page(timelinePage) {
    build();
    connectParts();
    retranslate();
    updateEmpty();
}

void TimelinePage::Impl::build() {
    auto* outer = new QVBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    stack = new QStackedWidget;
    outer->addWidget(stack);
    empty = new QLabel;
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setForegroundRole(QPalette::PlaceholderText);
    stack->addWidget(empty);
    auto* content = new QWidget;
    stack->addWidget(content);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    toolbar = new TimelineToolbar;
    column->addWidget(toolbar);
    auto* scroll = new QScrollArea; // in a small window the page scrolls before its parts become too small to be read
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setObjectName(QStringLiteral("timelineScroll"));
    auto* lanes = new QWidget;
    auto* inner = new QVBoxLayout(lanes);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(0);
    view = new TimelineView;
    inner->addWidget(view, 1);
    notice = new QLabel;
    notice->setFont(secondaryFont());
    notice->setWordWrap(true);
    notice->setContentsMargins(8, 4, 8, 2);
    notice->setForegroundRole(QPalette::PlaceholderText);
    notice->setObjectName(QStringLiteral("timelineNotice"));
    inner->addWidget(notice);
    legend = new TimelineLegend;
    inner->addWidget(legend);
    traceBar = new QWidget;
    auto* bar = new QHBoxLayout(traceBar);
    bar->setContentsMargins(8, 2, 8, 4);
    traceText = new QLabel;
    traceText->setObjectName(QStringLiteral("traceText"));
    traceCancel = new QPushButton;
    bar->addWidget(traceText, 1);
    bar->addWidget(traceCancel);
    traceBar->hide();
    inner->addWidget(traceBar);
    below = new QTabWidget;
    below->setDocumentMode(true);
    details = new SpanDetails;
    below->addTab(details, QString());
    stats = new StatsPane;
    below->addTab(stats, QString());
    waits = new WaitsPane;
    below->addTab(waits, QString());
    batch = new BatchPane;
    below->addTab(batch, QString());
    splitter = new QSplitter(Qt::Vertical);
    splitter->setHandleWidth(5);
    splitter->addWidget(lanes);
    splitter->addWidget(below);
    splitter->setChildrenCollapsible(false);
    view->setMinimumHeight(kLeastLanes);
    below->setMinimumHeight(kLeastBelow);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({500, 230});
    below->hide();
    scroll->setWidget(splitter);
    column->addWidget(scroll, 1);
}

void TimelinePage::Impl::connectParts() {
    for (QTimer* timer : {&askTimer, &searchTimer, &storeTimer})
        timer->setSingleShot(true);
    connect(&askTimer, &QTimer::timeout, this, &Impl::ask);
    connect(&searchTimer, &QTimer::timeout, this, &Impl::startSearch);
    connect(&storeTimer, &QTimer::timeout, this, &Impl::storeChanged);
    nowTimer.setInterval(kNowMs);
    connect(&nowTimer, &QTimer::timeout, this, [this] {
        if (page->isVisible())
            updateLimits();
    });
    connect(&loader, &TimelineLoader::read, this,
            [this](const TimelineReplyPtr& reply) { take(reply, asked, &TimelineView::setReply); });
    connect(&loader, &TimelineLoader::overviewRead, this,
            [this](const TimelineReplyPtr& reply) { take(reply, overviewUnderway, &TimelineView::setOverview); });
    connect(&loader, &TimelineLoader::detailRead, details, &SpanDetails::setDetail);
    connect(&loader, &TimelineLoader::found, this, &Impl::takeHits);
    connect(view, &TimelineView::windowChanged, this, [this] {
        updateRange();
        updateNotice();
        askSoon();
        if (!byClock) {
            askWaits();
            askStats();
        }
        if (!silent)
            emit page->windowChanged(view->window().lo / 1e9, view->window().hi / 1e9);
    });
    connect(view, &TimelineView::lanesChanged, this, &Impl::askSoon);
    connect(view, &TimelineView::selectionChanged, this, &Impl::selectionChanged);
    connect(view, &TimelineView::brushChanged, this, [this] {
        statsOfRun = false;
        updateRange();
        askWaits();
        askStats();
    });
    connect(view, &TimelineView::followChanged, this, [this](bool on) {
        toolbar->setFollow(on);
        if (session)
            session->following().set(on);
        updateRange();
    });
    connect(view, &TimelineView::brushFinished, this, [this] {
        if (below->isHidden() || below->currentWidget() == details)
            showStats();
    });
    connect(view, &TimelineView::causeRequested, this, &Impl::showCause);
    connect(&loader, &TimelineLoader::summaryRead, view, &TimelineView::setSummary);
    connect(stats, &StatsPane::spanRequested, view, &TimelineView::showSpan);
    connect(details, &SpanDetails::causeRequested, this, &Impl::showCause);
    connect(details, &SpanDetails::statsRequested, this, &Impl::showStatsOfSelected);
    connect(details, &SpanDetails::fileRequested, this, &Impl::openFile);
    connect(batch, &BatchPane::fileRequested, this, &Impl::openFile);
    connect(view, &TimelineView::detailsRequested, this, [this] { setDetailsShown(true); });
    connect(view, &TimelineView::incidentActivated, page, &TimelinePage::incidentRequested);
    connect(view, &TimelineView::menuRequested, this, &Impl::menu);
    connect(toolbar, &TimelineToolbar::followToggled, view, &TimelineView::setFollow);
    connect(toolbar, &TimelineToolbar::zoomInClicked, this, [this] { view->zoomCentre(0.5); });
    connect(toolbar, &TimelineToolbar::zoomOutClicked, this, [this] { view->zoomCentre(2); });
    connect(toolbar, &TimelineToolbar::zoomAllClicked, view, &TimelineView::zoomAll);
    connect(toolbar, &TimelineToolbar::previousIncidentClicked, this, [this] { view->stepIncident(-1); });
    connect(toolbar, &TimelineToolbar::nextIncidentClicked, this, [this] { view->stepIncident(1); });
    connect(toolbar, &TimelineToolbar::searchEdited, this, [this] { searchTimer.start(kSearchDelayMs); });
    connect(toolbar, &TimelineToolbar::nextHitClicked, this, [this] { stepHit(1); });
    connect(toolbar, &TimelineToolbar::previousHitClicked, this, [this] { stepHit(-1); });
    connect(toolbar, &TimelineToolbar::leaveSearch, this, [this] { view->setFocus(Qt::OtherFocusReason); });
    connect(toolbar, &TimelineToolbar::detailsToggled, this, &Impl::setDetailsShown);
    connect(toolbar, &TimelineToolbar::exportClicked, page, &TimelinePage::exportTrace);
    connect(details, &SpanDetails::stepRequested, page, &TimelinePage::stepRequested);
    connect(details, &SpanDetails::logRequested, page, &TimelinePage::logRequested);
    connect(&trace, &TraceJob::progress, this, [this](qint64 events) {
        traceText->setText(TimelinePage::tr("Writing the trace: %1 events").arg(countText(events)));
    });
    connect(&trace, &TraceJob::finished, this, &Impl::traceDone);
    connect(traceCancel, &QPushButton::clicked, this, [this] { trace.cancel(); });
}

void TimelinePage::Impl::setSession(RunSession* next) {
    if (session) {
        session->disconnect(this);
        session->following().disconnect(view);
    }
    loader.cancel();
    session = next;
    for (QTimer* timer : {&askTimer, &searchTimer, &storeTimer})
        timer->stop();
    lastNs = 0;
    lastReadNs = 0;
    storeIsNewer = overviewAsked = false;
    problem.clear();
    asked.reset();
    overviewUnderway.reset();
    described = nullptr;
    nowTimer.stop();
    hits = {};
    hit = -1;
    view->clear();
    details->setPick(std::nullopt);
    batch->setRequest(std::nullopt);
    waits->clear();
    stats->clear();
    statsOfRun = false;
    legend->setReply(nullptr);
    toolbar->search()->clear();
    toolbar->setIncidents(0);
    toolbar->setHitText({}, {}, false);
    toolbar->setFollowShown(false);
    if (next) {
        view->setFollow(next->following().isOn());
        connect(&next->following(), &Following::changed, view, &TimelineView::setFollow);
        connect(next, &RunSession::viewChanged, this, &Impl::updateView);
        connect(next, &RunSession::storeChanged, this, [this] {
            storeIsNewer = true;
            if (!page->isVisible() || storeTimer.isActive())
                return;
            const auto rest = static_cast<int>(std::min<std::int64_t>(lastReadNs * kRefreshShare / 1'000'000, 60'000));
            storeTimer.start(std::max(kLeastRefreshMs, rest));
        });
        updateView();
    }
    updateEmpty();
    updateNotice();
    updateRange();
}

void TimelinePage::Impl::updateView() {
    const RunView& now = session->view();
    const bool live = launch::isLive(now.info.state);
    view->setRanks(now.ranks, live);
    toolbar->setFollowShown(live);
    if (live != nowTimer.isActive())
        live ? nowTimer.start() : nowTimer.stop();
    QList<TimelineIncident> incidents;
    for (const auto& incident : now.incidents) {
        TimelineIncident i;
        i.id = incident.id;
        i.fromNs = static_cast<double>(incident.openedNs - now.info.startNs);
        i.open = incident.closedNs == 0;
        i.toNs = static_cast<double>((i.open ? std::max(now.knownNs, incident.openedNs) : incident.closedNs) -
                                     now.info.startNs);
        i.holder = incident.holders.empty() ? -1 : incident.holders.front();
        i.step = incident.step;
        i.sentence =
            toQString(diagnosis::sentence(incident, i.open ? now.knownNs : incident.closedNs, currentLanguage()));
        incidents.append(i);
    }
    if (!live)
        for (auto& i : incidents)
            if (i.open)
                i.toNs = std::max(i.fromNs, static_cast<double>(lastNs));
    toolbar->setIncidents(static_cast<int>(incidents.size()));
    view->setIncidents(std::move(incidents));
    view->setOpenWaits(now.openWaits, now.info.startNs);
    updateLimits();
    const bool reachesNow = live && view->brush().value_or(view->window()).hi >= view->limits().hi - 1e9;
    waits->setOpenWaits(reachesNow ? now.openWaits : std::vector<diagnosis::OpenWait>{}, now.nowNs);
    updateEmpty();
    askSoon();
}

/// From the run's start to the last that is known of it.
void TimelinePage::Impl::updateLimits() {
    if (!session)
        return;
    const RunView& now = session->view();
    std::int64_t end = lastNs;
    for (const auto& rank : now.summaries)
        end = std::max(end, rank.lastNs);
    for (const auto& incident : now.incidents)
        if (incident.closedNs > 0)
            end = std::max(end, incident.closedNs - now.info.startNs);
    if (launch::isLive(now.info.state) && now.info.startNs > 0)
        end = std::max(end, monotonicNs() - now.info.startNs);
    const bool before = std::exchange(silent, true);
    byClock = lastNs > 0;
    if (end > 0)
        view->setLimits({0, static_cast<double>(end)});
    silent = before;
    byClock = false;
}

TimelineRequest TimelinePage::Impl::requestFor(PlotRange range) const {
    TimelineRequest request;
    request.store = session->run().store();
    request.fromNs = static_cast<std::int64_t>(std::floor(range.lo));
    request.toNs = static_cast<std::int64_t>(std::ceil(range.hi));
    // a live run goes on: what comes is asked for already, so that the clock alone makes nothing be read
    if (nowTimer.isActive() && range.hi >= view->limits().hi)
        request.toNs += static_cast<std::int64_t>(std::max(0.25 * range.width(), 1e10));
    // lanes above and below too: scrolling a little reads nothing
    const int margin = 4;
    request.firstRank = std::max(view->firstVisibleRank() - margin, 0);
    request.lastRank = std::min(view->lastVisibleRank() + margin, std::max(view->rankCount() - 1, 0));
    request.nsPerPixel = std::max<std::int64_t>(static_cast<std::int64_t>(view->scale().nsPerPixel()), 1);
    return request;
}

void TimelinePage::Impl::askWaits() {
    if (!session || view->rankCount() == 0)
        return;
    const PlotRange part = view->brush().value_or(view->window());
    waits->setRequest(
        {session->run().store(), true, static_cast<std::int64_t>(part.lo), static_cast<std::int64_t>(part.hi)});
}

void TimelinePage::Impl::askStats(bool mayWait) {
    if (!session || view->rankCount() == 0)
        return;
    const auto brush = view->brush();
    const PlotRange part = brush ? *brush : statsOfRun ? view->limits() : view->window();
    if (mayWait && part.hi < static_cast<double>(lastNs) - kSettledNs)
        return; // the run goes on, but not there
    stats->setRequest({session->run().store(), static_cast<std::int64_t>(part.lo), static_cast<std::int64_t>(part.hi)},
                      brush        ? StatsPane::Part::Selection
                      : statsOfRun ? StatsPane::Part::WholeRun
                                   : StatsPane::Part::View,
                      mayWait);
}

void TimelinePage::Impl::askSummary(bool again) {
    if (!session || loader.isSummarising() || view->scale().width < 2 ||
        (!again && view->summaryTrack().serves(view->scale(), view->limits())))
        return;
    // as much again on either side: a pan reads nothing
    const PlotRange w = view->window(), all = view->limits();
    const double lo = std::max(w.lo - w.width(), all.lo);
    double hi = std::min(w.hi + w.width(), all.hi);
    if (nowTimer.isActive() && hi >= all.hi) // as in requestFor(): the clock alone makes nothing be read
        hi += std::max(0.25 * w.width(), 1e10);
    const double columns = std::ceil(view->scale().width / 2 * (hi - lo) / std::max(w.width(), 1.0));
    loader.requestSummary({session->run().store(), static_cast<std::int64_t>(std::floor(lo)),
                           static_cast<std::int64_t>(std::ceil(hi)),
                           static_cast<int>(std::clamp(columns, 64.0, 4096.0))});
}

void TimelinePage::Impl::request(const TimelineRequest& wanted) {
    asked = wanted;
    loader.request(wanted);
}

void TimelinePage::Impl::requestOverview(const TimelineRequest& wanted) {
    overviewUnderway = wanted;
    loader.requestOverview(wanted);
}

void TimelinePage::Impl::askSoon() {
    if (!askTimer.isActive())
        askTimer.start(kAskDelayMs);
}

void TimelinePage::Impl::ask() {
    if (!session || !page->isVisible() || view->rankCount() == 0 || session->view().nowNs == 0)
        return;
    const bool whole = view->window().width() >= 0.999 * view->limits().width();
    // what is on its way is waited for: a pan would call it off again and again
    const auto comes = [this](const auto& underway) { return underway && view->wouldServe(*underway); };
    if (!overviewAsked || (whole && !view->isServed() && !comes(overviewUnderway))) {
        overviewAsked = true;
        auto wanted = requestFor(view->limits());
        wanted.nsPerPixel = std::max<std::int64_t>(
            static_cast<std::int64_t>(view->limits().width() / std::max(view->scale().width, 1.0)), 1);
        requestOverview(wanted);
    }
    if (!whole && !view->isServed() && !comes(asked)) {
        const PlotRange w = view->window();
        request(requestFor({std::max(w.lo - w.width(), view->limits().lo - 1e9),
                            std::min(w.hi + w.width(), view->limits().hi + 1e9)}));
    }
    askSummary();
    view->setLoading(loader.isBusy() && !view->isServed());
}

/// What is in view again, as the store has it now.
void TimelinePage::Impl::storeChanged() {
    if (!session || !page->isVisible())
        return;
    if (loader.isBusy()) { // one answer after the other
        storeTimer.start(kLeastRefreshMs);
        return;
    }
    storeIsNewer = false;
    askWaits();
    askStats(true);
    askSummary(true);
    const PlotRange w = view->window();
    const bool atEnd = w.hi >= view->limits().hi - w.width() || static_cast<double>(lastNs) <= w.hi;
    if (w.width() >= 0.999 * view->limits().width()) {
        requestOverview(requestFor(view->limits()));
    } else if (atEnd || !view->isServed()) {
        request(requestFor({std::max(w.lo - w.width(), view->limits().lo - 1e9), w.hi + w.width()}));
    }
}

/// An answer: what was `underway` is here, the view gets it by `show`.
void TimelinePage::Impl::take(const TimelineReplyPtr& reply, std::optional<TimelineRequest>& underway,
                              void (TimelineView::*show)(const TimelineReplyPtr&)) {
    described = nullptr; // a new one may lie where an old one did
    underway.reset();
    lastReadNs = reply->readNs;
    lastNs = std::max(lastNs, reply->lastNs);
    problem = session && session->view().goneRealtimeNs != 0 ? QString() : reply->error; // a notice tells of that
    if (problem.isEmpty())
        (view->*show)(reply);
    updateLimits();
    view->setLoading(loader.isBusy() && !view->isServed());
    updateNotice();
    updateEmpty();
    if (problem.isEmpty()) // else when something changes, not at once again
        askSoon();
}

bool TimelinePage::Impl::isComplete() const {
    if (!session)
        return true;
    if (session->view().nowNs == 0)
        return false;
    if (view->rankCount() == 0 || !problem.isEmpty() || !session->view().problem.isEmpty())
        return true;
    // what is served is not asked for again, however often a live run makes the page think of it
    return overviewAsked && view->isServed() && !loader.isBusy() && !loader.isSearching() && waits->isComplete() &&
           stats->isComplete() && !loader.isSummarising();
}

void TimelinePage::Impl::selectionChanged() {
    const auto& pick = view->selected();
    details->setPick(pick, pick ? fileReadIn(*pick) : QString());
    view->setAccessibleDescription(pick ? details->asText() : QString());
    const bool ofStep = session && pick && pick->span.step >= 0;
    batch->setRequest(ofStep ? std::optional(BatchRequest{session->run(), pick->span.step, pick->rank}) : std::nullopt);
    if (!pick)
        return;
    below->setCurrentWidget(details);
    setDetailsShown(true);
    const bool single = pick->kind == TimelinePick::Kind::Span || pick->kind == TimelinePick::Kind::Step;
    if (session && single)
        loader.requestDetail(session->run().store(), pick->rank, pick->span);
}

void TimelinePage::Impl::setDetailsShown(bool on) {
    below->setVisible(on);
    toolbar->setDetailsShown(on);
}

void TimelinePage::Impl::retranslate() {
    below->setTabText(0, TimelinePage::tr("Details"));
    below->setTabText(1, TimelinePage::tr("Statistics"));
    below->setTabText(2, TimelinePage::tr("Who waits for whom"));
    below->setTabText(3, TimelinePage::tr("Batch"));
    traceCancel->setText(TimelinePage::tr("Cancel"));
    view->setAccessibleName(TimelinePage::tr("Timeline"));
    updateEmpty();
    updateNotice();
    updateRange();
    if (session)
        session->refresh();
}

} // namespace rankscope::ui
