// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_page.h"

#include "core/base/values/clock.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/files/manifest_file.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_feed.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/page/timeline_search.h"
#include "widgets/timeline/page/timeline_toolbar.h"
#include "widgets/timeline/page/trace_job.h"
#include "widgets/timeline/panes/span_details.h"
#include "widgets/timeline/panes/stats_pane.h"
#include "widgets/timeline/panes/step_batch_pane.h"
#include "widgets/timeline/view/span_text.h"
#include "widgets/timeline/view/timeline_view.h"
#include "widgets/waits/waits_pane.h"

#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr double kSettledNs = 2e10; ///< ranks are usually not further apart than this
constexpr int kLeastLanes = 210, kLeastBelow = 230;
constexpr int kNowMs = 200; ///< how often a live run's end moves
} // namespace

TimelinePage::TimelinePage(QWidget* parent)
    : QWidget(parent), m_loader(new TimelineLoader(this)), m_trace(new TraceJob(this)) {
    build();
    connectParts();
    retranslate();
    updateEmpty();
    onLanguageChange(this, [this] { retranslate(); });
}

TimelinePage::~TimelinePage() {
    m_view->disconnect(this); // its signals during destruction must not reach parts that are gone
}

void TimelinePage::build() {
    m_stack = new QStackedWidget;
    setLayout(columnOf({m_stack}));
    m_empty = new QLabel;
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_empty);
    auto* content = new QWidget;
    m_stack->addWidget(content);
    m_toolbar = new TimelineToolbar;
    auto* scroll = new QScrollArea; // in a small window the page scrolls before its parts become unreadably small
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setObjectName(QStringLiteral("timelineScroll"));
    auto* lanes = new QWidget;
    m_view = new TimelineView;
    m_notice = new QLabel;
    m_notice->setFont(secondaryFont());
    m_notice->setWordWrap(true);
    m_notice->setContentsMargins(8, 4, 8, 2);
    m_notice->setForegroundRole(QPalette::PlaceholderText);
    m_notice->setObjectName(QStringLiteral("timelineNotice"));
    m_legend = new TimelineLegend;
    m_traceBar = new QWidget;
    m_traceText = new QLabel;
    m_traceText->setObjectName(QStringLiteral("traceText"));
    m_traceCancel = new QPushButton;
    m_traceBar->setLayout(rowOf({{m_traceText, 1}, m_traceCancel}, -1, {8, 2, 8, 4}));
    m_traceBar->hide();
    lanes->setLayout(columnOf({{m_view, 1}, m_notice, m_legend, m_traceBar}));
    m_below = new QTabWidget;
    m_below->setDocumentMode(true);
    m_details = new SpanDetails;
    m_below->addTab(m_details, QString());
    m_stats = new StatsPane;
    m_below->addTab(m_stats, QString());
    m_waits = new WaitsPane;
    m_below->addTab(m_waits, QString());
    m_batch = new BatchPane;
    m_below->addTab(m_batch, QString());
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setHandleWidth(5);
    splitter->addWidget(lanes);
    splitter->addWidget(m_below);
    splitter->setChildrenCollapsible(false);
    m_view->setMinimumHeight(kLeastLanes);
    m_below->setMinimumHeight(kLeastBelow);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({500, 230});
    m_below->hide();
    scroll->setWidget(splitter);
    content->setLayout(columnOf({m_toolbar, {scroll, 1}}));
}

void TimelinePage::connectParts() {
    m_feed = new TimelineFeed(this, m_view, m_loader);
    m_search = new TimelineSearch(m_toolbar, m_view, m_loader, this);
    connect(m_feed, &TimelineFeed::answered, this, [this] {
        updateLimits();
        updateNotice();
        updateEmpty();
    });
    connect(m_feed, &TimelineFeed::readAgain, this, [this] {
        requestWaits();
        requestStats(true);
    });
    connect(m_search, &TimelineSearch::failed, this, &TimelinePage::failed);
    m_nowTimer.setInterval(kNowMs);
    connect(&m_nowTimer, &QTimer::timeout, this, [this] {
        if (isVisible())
            updateLimits();
    });
    connect(m_loader, &TimelineLoader::detailRead, m_details, &SpanDetails::setDetail);
    connect(m_view, &TimelineView::windowChanged, this, [this] {
        updateRange();
        updateNotice();
        m_feed->scheduleRequest();
        if (!m_byClock) {
            requestWaits();
            requestStats();
        }
        if (!m_silent)
            emit windowChanged(m_view->window().lo / 1e9, m_view->window().hi / 1e9);
    });
    connect(m_view, &TimelineView::selectionChanged, this, &TimelinePage::selectionChanged);
    connect(m_view, &TimelineView::brushChanged, this, [this] {
        m_statsOfRun = false;
        updateRange();
        requestWaits();
        requestStats();
    });
    connect(m_view, &TimelineView::followChanged, this, [this](bool on) {
        m_toolbar->setFollow(on);
        if (m_session)
            m_session->following().set(on);
        updateRange();
    });
    connect(m_view, &TimelineView::brushFinished, this, [this] {
        if (m_below->isHidden() || m_below->currentWidget() == m_details)
            showStats();
    });
    connect(m_view, &TimelineView::causeRequested, this, &TimelinePage::showCause);
    connect(m_stats, &StatsPane::spanRequested, m_view, &TimelineView::showSpan);
    connect(m_details, &SpanDetails::causeRequested, this, &TimelinePage::showCause);
    connect(m_details, &SpanDetails::statsRequested, this, &TimelinePage::showStatsOfSelected);
    connect(m_details, &SpanDetails::fileRequested, this, &TimelinePage::openFile);
    connect(m_batch, &BatchPane::fileRequested, this, &TimelinePage::openFile);
    connect(m_view, &TimelineView::detailsRequested, this, [this] { setDetailsShown(true); });
    connect(m_view, &TimelineView::incidentActivated, this, &TimelinePage::incidentRequested);
    connect(m_view, &TimelineView::annotationActivated, this, [this](qint64 id) {
        if (const auto* annotation = m_view->scene().flags.find(id))
            emit message(toQString(annotation->text).simplified());
        emit annotationSelected(id);
    });
    connect(m_view, &TimelineView::menuRequested, this, &TimelinePage::menu);
    connect(m_toolbar, &TimelineToolbar::followToggled, m_view, &TimelineView::setFollow);
    connect(m_toolbar, &TimelineToolbar::zoomInClicked, this, [this] { m_view->zoomCentre(0.5); });
    connect(m_toolbar, &TimelineToolbar::zoomOutClicked, this, [this] { m_view->zoomCentre(2); });
    connect(m_toolbar, &TimelineToolbar::zoomAllClicked, m_view, &TimelineView::zoomAll);
    connect(m_toolbar, &TimelineToolbar::previousIncidentClicked, this, [this] { m_view->stepIncident(-1); });
    connect(m_toolbar, &TimelineToolbar::nextIncidentClicked, this, [this] { m_view->stepIncident(1); });
    connect(m_toolbar, &TimelineToolbar::leaveSearch, this, [this] { m_view->setFocus(Qt::OtherFocusReason); });
    connect(m_toolbar, &TimelineToolbar::detailsToggled, this, &TimelinePage::setDetailsShown);
    connect(m_toolbar, &TimelineToolbar::exportClicked, this, &TimelinePage::exportTrace);
    connect(m_details, &SpanDetails::stepRequested, this, &TimelinePage::stepRequested);
    connect(m_details, &SpanDetails::logRequested, this, &TimelinePage::logRequested);
    connect(m_trace, &TraceJob::progress, this,
            [this](qint64 events) { m_traceText->setText(tr("Writing the trace: %1 events").arg(countText(events))); });
    connect(m_trace, &TraceJob::finished, this, &TimelinePage::traceDone);
    connect(m_traceCancel, &QPushButton::clicked, this, [this] { m_trace->cancel(); });
}

void TimelinePage::setSession(RunSession* next) {
    if (m_session) {
        m_session->disconnect(this);
        m_session->following().disconnect(m_view);
    }
    m_loader->cancel();
    m_session = next;
    m_feed->setSession(next);
    m_nowTimer.stop();
    m_view->clear();
    m_details->setPick(std::nullopt);
    m_batch->setRequest(std::nullopt);
    m_waits->clear();
    m_stats->clear();
    m_statsOfRun = false;
    m_legend->setScene(m_view->scene());
    m_toolbar->setIncidents(0);
    m_toolbar->setFollowShown(false);
    m_search->setStore(next ? next->run().store() : std::filesystem::path());
    if (next) {
        m_view->setFollow(next->following().isOn());
        connect(&next->following(), &Following::changed, m_view, &TimelineView::setFollow);
        connect(next, &RunSession::viewChanged, this, &TimelinePage::updateView);
        updateView();
    }
    updateEmpty();
    updateNotice();
    updateRange();
}

void TimelinePage::updateView() {
    const RunView& now = m_session->view();
    const bool live = launch::isLive(now.info.state);
    {
        const QScopedValueRollback silent(m_silent, true);
        m_view->setRanks(now.ranks, live);
    }
    m_toolbar->setFollowShown(live);
    if (live != m_nowTimer.isActive())
        live ? m_nowTimer.start() : m_nowTimer.stop();
    QList<TimelineIncident> incidents;
    for (const auto& incident : now.incidents) {
        TimelineIncident i;
        i.id = incident.id;
        i.fromNs = static_cast<double>(incident.openedNs - now.info.startNs);
        i.open = incident.closedNs == 0;
        i.toNs = static_cast<double>((i.open ? std::max(now.knownNs, incident.openedNs) : incident.closedNs) -
                                     now.info.startNs);
        i.sentence =
            toQString(diagnosis::sentence(incident, i.open ? now.knownNs : incident.closedNs).text(currentLanguage()));
        if (i.open && !live)
            i.toNs = std::max(i.fromNs, static_cast<double>(m_feed->lastNs()));
        incidents.append(i);
    }
    m_toolbar->setIncidents(static_cast<int>(incidents.size()));
    m_view->setIncidents(std::move(incidents));
    m_view->setOpenWaits(now.openWaits, now.info.startNs);
    updateLimits();
    m_legend->setScene(m_view->scene());
    const bool reachesNow = live && m_view->brush().value_or(m_view->window()).hi >= m_view->limits().hi - 1e9;
    m_waits->setOpenWaits(reachesNow ? now.openWaits : std::vector<diagnosis::OpenWait>{}, now.nowNs);
    updateEmpty();
    m_feed->scheduleRequest();
}

void TimelinePage::setAnnotations(const std::vector<launch::Annotation>& annotations) {
    m_view->setAnnotations(annotations);
    m_legend->setScene(m_view->scene());
}

/// Sets the limits from the run's start to the newest known time.
void TimelinePage::updateLimits() {
    if (!m_session)
        return;
    const RunView& now = m_session->view();
    std::int64_t end = m_feed->lastNs();
    for (const auto& rank : now.summaries)
        end = std::max(end, rank.lastNs);
    for (const auto& incident : now.incidents)
        if (incident.closedNs > 0)
            end = std::max(end, incident.closedNs - now.info.startNs);
    if (launch::isLive(now.info.state) && now.info.startNs > 0)
        end = std::max(end, monotonicNs() - now.info.startNs);
    const QScopedValueRollback silent(m_silent, true), byClock(m_byClock, m_feed->lastNs() > 0);
    if (end > 0)
        m_view->setLimits({0, static_cast<double>(end)});
}

void TimelinePage::requestWaits() {
    if (!m_session || m_view->scene().rankCount() == 0)
        return;
    const auto brush = m_view->brush();
    const PlotRange part = brush.value_or(m_view->window());
    m_waits->setRequest({m_session->run().store(), true, static_cast<std::int64_t>(part.lo),
                         static_cast<std::int64_t>(part.hi), brush.has_value()});
}

void TimelinePage::requestStats(bool mayWait) {
    if (!m_session || m_view->scene().rankCount() == 0)
        return;
    const auto brush = m_view->brush();
    const PlotRange part = brush ? *brush : m_statsOfRun ? m_view->limits() : m_view->window();
    if (mayWait && part.hi < static_cast<double>(m_feed->lastNs()) - kSettledNs)
        return; // the run continues outside the shown part
    m_stats->setRequest(
        {m_session->run().store(), static_cast<std::int64_t>(part.lo), static_cast<std::int64_t>(part.hi)},
        brush          ? StatsPane::StatsScope::Selection
        : m_statsOfRun ? StatsPane::StatsScope::WholeRun
                       : StatsPane::StatsScope::View,
        mayWait);
}

bool TimelinePage::isComplete() const {
    if (!m_session)
        return true;
    if (m_session->view().nowNs == 0)
        return false;
    if (m_view->scene().rankCount() == 0 || !m_feed->problem().isEmpty() || !m_session->view().problem.isEmpty())
        return true;
    return m_feed->isComplete() && !m_loader->isSearching() && m_waits->isComplete() && m_stats->isComplete();
}

void TimelinePage::selectionChanged() {
    const auto& pick = m_view->selected();
    m_details->setPick(pick, pick ? fileReadIn(*pick) : QString());
    m_view->setAccessibleDescription(pick ? m_details->asText() : QString());
    const bool ofStep = m_session && pick && pick->span.step >= 0;
    m_batch->setRequest(ofStep ? std::optional(BatchRequest{m_session->run(), pick->span.step, pick->rank})
                               : std::nullopt);
    if (!pick)
        return;
    m_below->setCurrentWidget(m_details);
    setDetailsShown(true);
    const bool single = pick->kind == TimelinePick::PickKind::Span || pick->kind == TimelinePick::PickKind::Step;
    if (m_session && single)
        m_loader->requestDetail(m_session->run().store(), pick->rank, pick->span);
}

void TimelinePage::setDetailsShown(bool on) {
    m_below->setVisible(on);
    m_toolbar->setDetailsShown(on);
}

void TimelinePage::showStats() {
    m_below->setCurrentWidget(m_stats);
    setDetailsShown(true);
    requestStats();
}

/// Shows statistics of all spans of the selected span's kind, in the selected part or in the whole run; of a step, its
/// time.
void TimelinePage::showStatsOfSelected() {
    const auto pick = m_view->selected();
    if (!pick)
        return;
    if (pick->kind == TimelinePick::PickKind::Span) {
        StatsRow kind;
        kind.wait = pick->span.collective;
        // a span without a tag has the operation's name here
        if (kind.wait && pick->tag != toQString(telemetry::opName(pick->span.op)))
            kind.family = pick->tag.section(u':', 0, 0).toStdString();
        if (!kind.wait)
            kind.phase = pick->span.phase;
        m_stats->showOnly(kind);
        m_statsOfRun = !m_view->brush();
    } else {
        m_stats->showAll();
        m_view->setBrush(PlotRange{static_cast<double>(pick->span.beginNs), static_cast<double>(pick->span.endNs)});
    }
    showStats();
}

void TimelinePage::showCause() {
    const auto cause = m_details->cause();
    if (!cause || !m_view->selected())
        return emit message(tr("Select a wait first: its cause is shown with its details"));
    m_view->showSpan(m_view->selected()->span.holder, *cause, {});
}

/// Returns the file that was being read during a stall for data, if an incident names it.
QString TimelinePage::fileReadIn(const TimelinePick& pick) const {
    if (!m_session || pick.kind != TimelinePick::PickKind::Span || pick.span.collective ||
        pick.span.phase != telemetry::Phase::DataWait)
        return {};
    const RunView& now = m_session->view();
    for (const auto& incident : now.incidents) {
        const bool holds =
            std::find(incident.holders.begin(), incident.holders.end(), pick.rank) != incident.holders.end();
        const std::int64_t opened = incident.openedNs - now.info.startNs;
        const std::int64_t closed = incident.closedNs == 0 ? INT64_MAX : incident.closedNs - now.info.startNs;
        const auto& path = incident.evidence.readingPath;
        if (holds && path && opened < pick.span.endNs && closed > pick.span.beginNs)
            return toQString(*path);
    }
    return {};
}

void TimelinePage::openFile(const QString& file, bool inFolder) {
    if (m_session)
        openManifestFile(file, toQString(m_session->view().info.configPath), inFolder, this,
                         [this](const QString& problem) { emit message(problem); });
}

void TimelinePage::clearSelection() {
    if (m_view->selected())
        return m_view->select(std::nullopt);
    m_statsOfRun = false;
    m_stats->showAll();
    m_view->setBrush(std::nullopt);
    requestStats();
}

void TimelinePage::menu(const QPoint& global) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto pick = m_view->selected();
    if (pick) {
        menu->addAction(tr("Copy as text"), m_details, &SpanDetails::copy);
        menu->addAction(tr("Zoom to it"), m_view, [this, pick] { m_view->zoomTo(pick->span); });
        if (pick->kind != TimelinePick::PickKind::Column)
            menu->addAction(pick->kind == TimelinePick::PickKind::Span ? tr("Statistics of all spans of this kind")
                                                                       : tr("Statistics of this part"),
                            this, &TimelinePage::showStatsOfSelected);
        if (m_details->cause())
            menu->addAction(tr("Show what caused the wait"), this, &TimelinePage::showCause);
        if (pick->span.step >= 0)
            menu->addAction(tr("Show step in Review"), this, [this, pick] { emit stepRequested(pick->span.step); });
        menu->addAction(tr("This rank's log"), this,
                        [this, pick] { emit logRequested(pick->rank, pick->span.beginNs); });
        menu->addSeparator();
    }
    if (m_view->brush()) {
        menu->addAction(tr("Statistics of the selection"), this, &TimelinePage::showStats);
        menu->addAction(tr("Zoom to the selection"), m_view, &TimelineView::zoomToBrush);
        menu->addAction(tr("Clear the selection"), m_view, [this] { m_view->setBrush(std::nullopt); });
    }
    menu->addAction(tr("Show the whole run"), m_view, &TimelineView::zoomAll);
    menu->addAction(tr("Export as a Chrome trace…"), this, &TimelinePage::exportTrace);
    menu->popup(global);
}

void TimelinePage::traceDone(const QString& file, const QString& why, bool cancelled) {
    m_traceBar->hide();
    if (cancelled)
        emit message(tr("The export was cancelled; no file was written"));
    else if (why.isEmpty())
        emit message(tr("Written: %1").arg(file));
    else
        emit failed(why);
}

void TimelinePage::updateEmpty() {
    const bool any = m_session && m_view->scene().rankCount() > 0 && m_session->view().nowNs > 0;
    QString text;
    if (!m_session)
        text = tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                  "one from the Configure page.");
    else if (!m_session->view().problem.isEmpty() && !any)
        text = m_session->view().problem.toHtmlEscaped();
    else
        text = tr("Nothing has been recorded for this run yet.");
    m_empty->setText(text);
    m_stack->setCurrentIndex(any ? 1 : 0);
}

/// Says what is not shown in detail, and why, so that an empty part does not look as if nothing had happened.
void TimelinePage::updateNotice() {
    const TimelineReply* reply = m_session ? m_view->scene().best() : nullptr;
    m_legend->setScene(m_view->scene());
    const PlotRange w = m_view->window();
    bool anySums = false, anySteps = false;
    static const std::vector<TimelineLane> none;
    for (const auto& lane : reply ? reply->lanes : none) {
        const auto inView = [&](const auto& part) {
            return static_cast<double>(part.endNs) >= w.lo && static_cast<double>(part.beginNs) <= w.hi;
        };
        anySums |= std::any_of(lane.sums.begin(), lane.sums.end(),
                               [&](const TimelineSum& sum) { return sum.knowsPhases() && inView(sum); });
        anySteps |= std::any_of(lane.steps.begin(), lane.steps.end(), inView);
    }
    QStringList parts;
    if (!m_feed->problem().isEmpty())
        parts << m_feed->problem();
    if (anySums && reply->tooMany)
        parts << tr("Too many steps are in view to show individual phases: a column's colours show each phase's share "
                    "of the time, not the order. Zoom in for individual phases.");
    else if (anySums)
        parts << tr("Individual phases are kept from step %1 on and around incidents. Elsewhere you see each step's "
                    "sums: colours show the phases' shares, not their order.")
                     .arg(countText(reply->singleFrom));
    if (reply && m_view->scene().isServed() && anySteps && !m_legend->hasPhases())
        parts << tr("No phases are recorded for this part of the run; grey blocks are steps.");
    const bool showsNow = launch::isLive(m_session ? m_session->view().info.state : launch::RunState::Finished) &&
                          w.hi >= m_view->limits().hi - 1e9; // the dashed boxes show what is in progress
    if (reply && m_view->scene().isServed() && !anySteps && !m_legend->hasPhases() && !showsNow)
        parts << tr("Nothing was recorded in this part of the run: it has no steps or phases.");
    m_notice->setText(parts.join(u' '));
    m_notice->setVisible(!parts.isEmpty());
}

void TimelinePage::updateRange() {
    const auto brush = m_view->brush();
    const PlotRange w = brush.value_or(m_view->window());
    const double digits = std::max(w.width() / 100, 1.0);
    const QString text = QStringLiteral("%1 – %2  (%3)")
                             .arg(momentText(w.lo, digits), momentText(w.hi, digits),
                                  durationText(static_cast<std::int64_t>(w.width())));
    const bool left = m_session && launch::isLive(m_session->view().info.state) && !m_view->follow();
    m_toolbar->setRangeText(!m_session ? QString()
                            : brush    ? tr("selected %1").arg(text)
                            : left     ? tr("%1 · not following").arg(text)
                                       : text);
}

void TimelinePage::retranslate() {
    m_below->setTabText(0, tr("Details"));
    m_below->setTabText(1, tr("Statistics"));
    m_below->setTabText(2, tr("Who waits for whom"));
    m_below->setTabText(3, tr("Batch"));
    m_traceCancel->setText(tr("Cancel"));
    m_view->setAccessibleName(tr("Timeline"));
    updateEmpty();
    updateNotice();
    updateRange();
    if (m_session)
        m_session->refresh();
}

void TimelinePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_feed->pageShown();
    m_view->setFocus(Qt::OtherFocusReason); // so that its keys work immediately
}

void TimelinePage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Slash)
        return focusSearch();
    if (event->key() == Qt::Key_Escape)
        return clearSelection();
    QWidget::keyPressEvent(event);
}

void TimelinePage::showTime(qint64 fromNs, qint64 toNs) {
    if (toNs <= fromNs)
        return; // not a part of a run: it would be shown as the shortest window
    const PlotRange all = m_view->limits();
    PlotRange part{static_cast<double>(fromNs), static_cast<double>(toNs)};
    if (m_view->follow() && m_nowTimer.isActive())
        part.hi = all.hi; // the current time, which is later than the newest step's end
    if (part.width() >= 0.97 * all.width())
        part = all; // all steps, including the time before the first one
    const QScopedValueRollback silent(m_silent, true);
    m_view->showWindow(part, false);
}

void TimelinePage::showAll() {
    const QScopedValueRollback silent(m_silent, true);
    m_view->showWindow(m_view->limits(), false);
}

void TimelinePage::showIncident(qint64 id) {
    m_view->showIncident(id);
}

void TimelinePage::showMoment(qint64 ns) {
    m_view->showMoment(static_cast<double>(ns));
}

void TimelinePage::focusSearch() {
    m_toolbar->search()->setFocus(Qt::ShortcutFocusReason);
    m_toolbar->search()->selectAll();
}

void TimelinePage::exportTo(const QString& file) {
    if (!m_session)
        return emit message(tr("There is nothing to export yet"));
    const PlotRange part = m_view->brush().value_or(m_view->window());
    if (m_trace->start(m_session->run().store(), file, static_cast<std::int64_t>(part.lo),
                       static_cast<std::int64_t>(part.hi))) {
        m_traceText->setText(tr("Writing %1…").arg(file));
        m_traceBar->show();
    } else {
        emit message(tr("A trace is being written already"));
    }
}

void TimelinePage::exportTrace() {
    if (!m_session || m_view->scene().rankCount() == 0)
        return emit message(tr("There is nothing to export yet"));
    auto* dialog = new QFileDialog(this, tr("Export the part in view as a Chrome trace"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Chrome trace (*.json)")});
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(toQString(m_session->view().info.id) + QStringLiteral("-trace.json"));
    connect(dialog, &QFileDialog::fileSelected, this, &TimelinePage::exportTo);
    dialog->open();
}

} // namespace rankscope::ui
