// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_page.h"

#include "core/base/values/clock.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/theme/language_change.h"
#include "widgets/timeline/page/timeline_feed.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/page/timeline_notice.h"
#include "widgets/timeline/page/timeline_panes.h"
#include "widgets/timeline/page/timeline_search.h"
#include "widgets/timeline/page/timeline_toolbar.h"
#include "widgets/timeline/panes/span_details.h"
#include "widgets/timeline/trace/trace_bar.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kLeastLanes = 210, kLeastBelow = 230;
constexpr int kNowMs = 200; ///< how often a live run's end moves
} // namespace

TimelinePage::TimelinePage(QWidget* parent) : QWidget(parent), m_loader(new TimelineLoader(this)) {
    build();
    connectParts();
    retranslate();
    updateEmpty();
    onLanguageChange(this, [this] { retranslate(); });
}

TimelinePage::~TimelinePage() {
    m_view->disconnect(this); // its signals during destruction must not reach parts that are gone
    m_view->disconnect(m_panes);
}

void TimelinePage::build() {
    m_stack = new QStackedWidget;
    setLayout(columnOf({m_stack}));
    m_empty = new QLabel;
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeContent());
}

QWidget* TimelinePage::makeContent() {
    auto* content = new QWidget;
    m_toolbar = new TimelineToolbar;
    auto* scroll = new QScrollArea; // in a small window the page scrolls before its parts become unreadably small
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setObjectName(QStringLiteral("timelineScroll"));
    auto* lanes = new QWidget;
    m_view = new TimelineView;
    m_notice = new TimelineNotice;
    m_legend = new TimelineLegend;
    m_trace = new TraceBar;
    lanes->setLayout(columnOf({{m_view, 1}, m_notice, m_legend, m_trace}));
    m_panes = new TimelinePanes(m_view, m_loader);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setHandleWidth(5);
    splitter->addWidget(lanes);
    splitter->addWidget(m_panes);
    splitter->setChildrenCollapsible(false);
    m_view->setMinimumHeight(kLeastLanes);
    m_panes->setMinimumHeight(kLeastBelow);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({500, 230});
    scroll->setWidget(splitter);
    content->setLayout(columnOf({m_toolbar, {scroll, 1}}));
    return content;
}

void TimelinePage::connectParts() {
    m_feed = new TimelineFeed(this, m_view, m_loader);
    m_search = new TimelineSearch(m_toolbar, m_view, m_loader, this);
    connect(m_feed, &TimelineFeed::answered, this, [this] {
        updateLimits();
        updateNotice();
        updateEmpty();
    });
    connect(m_feed, &TimelineFeed::readAgain, this, [this] { m_panes->requestAgain(m_feed->lastNs()); });
    connect(m_search, &TimelineSearch::failed, this, &TimelinePage::failed);
    m_nowTimer.setInterval(kNowMs);
    connect(&m_nowTimer, &QTimer::timeout, this, [this] {
        if (isVisible())
            updateLimits();
    });
    connectView();
    connectToolbar();
    connect(m_panes, &TimelinePanes::stepRequested, this, &TimelinePage::stepRequested);
    connect(m_panes, &TimelinePanes::logRequested, this, &TimelinePage::logRequested);
    connect(m_panes, &TimelinePanes::message, this, &TimelinePage::message);
    connect(m_trace, &TraceBar::fileChosen, this, &TimelinePage::exportTo);
    connect(m_trace, &TraceBar::message, this, &TimelinePage::message);
    connect(m_trace, &TraceBar::failed, this, &TimelinePage::failed);
}

void TimelinePage::connectView() {
    connect(m_view, &TimelineView::windowChanged, this, [this] {
        updateRange();
        updateNotice();
        m_feed->scheduleRequest();
        if (!m_byClock)
            m_panes->request();
        if (!m_silent)
            emit windowChanged(m_view->window().lo / 1e9, m_view->window().hi / 1e9);
    });
    connect(m_view, &TimelineView::brushChanged, this, &TimelinePage::updateRange);
    connect(m_view, &TimelineView::followChanged, this, [this](bool on) {
        m_toolbar->setFollow(on);
        if (m_session)
            m_session->following().set(on);
        updateRange();
    });
    connect(m_view, &TimelineView::incidentActivated, this, &TimelinePage::incidentRequested);
    connect(m_view, &TimelineView::annotationActivated, this, [this](qint64 id) {
        if (const auto* annotation = m_view->scene().flags.find(id))
            emit message(toQString(annotation->text).simplified());
        emit annotationSelected(id);
    });
    connect(m_view, &TimelineView::menuRequested, this, &TimelinePage::menu);
}

void TimelinePage::connectToolbar() {
    connect(m_toolbar, &TimelineToolbar::followToggled, m_view, &TimelineView::setFollow);
    connect(m_toolbar, &TimelineToolbar::zoomInClicked, this, [this] { m_view->zoomCentre(0.5); });
    connect(m_toolbar, &TimelineToolbar::zoomOutClicked, this, [this] { m_view->zoomCentre(2); });
    connect(m_toolbar, &TimelineToolbar::zoomAllClicked, m_view, &TimelineView::zoomAll);
    connect(m_toolbar, &TimelineToolbar::previousIncidentClicked, this, [this] { m_view->stepIncident(-1); });
    connect(m_toolbar, &TimelineToolbar::nextIncidentClicked, this, [this] { m_view->stepIncident(1); });
    connect(m_toolbar, &TimelineToolbar::leaveSearch, this, [this] { m_view->setFocus(Qt::OtherFocusReason); });
    connect(m_toolbar, &TimelineToolbar::detailsToggled, m_panes, &TimelinePanes::setShown);
    connect(m_panes, &TimelinePanes::shownChanged, m_toolbar, &TimelineToolbar::setDetailsShown);
    connect(m_toolbar, &TimelineToolbar::exportClicked, this, &TimelinePage::exportTrace);
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
    m_panes->setSession(next);
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
        i.pause = incident.cause == diagnosis::Cause::Paused;
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
    m_view->setOpenWaits(now.openWaits, now.info.startNs, now.openUntilNs);
    updateLimits();
    m_legend->setScene(m_view->scene());
    m_panes->setOpenWaits(now);
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

bool TimelinePage::isComplete() const {
    if (!m_session)
        return true;
    if (m_session->view().nowNs == 0)
        return false;
    if (m_view->scene().rankCount() == 0 || !m_feed->problem().isEmpty() || !m_session->view().problem.isEmpty())
        return true;
    return m_feed->isComplete() && !m_loader->isSearching() && m_panes->isComplete();
}

void TimelinePage::menu(const QPoint& global) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto pick = m_view->selected();
    if (pick) {
        menu->addAction(tr("Copy as text"), m_panes->details(), &SpanDetails::copy);
        menu->addAction(tr("Zoom to it"), m_view, [this, pick] { m_view->zoomTo(pick->span); });
        if (pick->kind != TimelinePick::PickKind::Column)
            menu->addAction(pick->kind == TimelinePick::PickKind::Span ? tr("Statistics of all spans of this kind")
                                                                       : tr("Statistics of this part"),
                            m_panes, &TimelinePanes::showStatsOfSelected);
        if (m_panes->details()->cause())
            menu->addAction(tr("Show what caused the wait"), m_panes, &TimelinePanes::showCause);
        if (pick->span.step >= 0)
            menu->addAction(tr("Show step in Review"), this, [this, pick] { emit stepRequested(pick->span.step); });
        menu->addAction(tr("This rank's log"), this,
                        [this, pick] { emit logRequested(pick->rank, pick->span.beginNs); });
        menu->addSeparator();
    }
    if (m_view->brush()) {
        menu->addAction(tr("Statistics of the selection"), m_panes, &TimelinePanes::showStats);
        menu->addAction(tr("Zoom to the selection"), m_view, &TimelineView::zoomToBrush);
        menu->addAction(tr("Clear the selection"), m_view, [this] { m_view->setBrush(std::nullopt); });
    }
    menu->addAction(tr("Show the whole run"), m_view, &TimelineView::zoomAll);
    menu->addAction(tr("Export as a Chrome trace…"), this, &TimelinePage::exportTrace);
    menu->popup(global);
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

void TimelinePage::updateNotice() {
    m_legend->setScene(m_view->scene());
    m_notice->setScene(m_view->scene(), {.problem = m_feed->problem(),
                                         .live = m_session && launch::isLive(m_session->view().info.state),
                                         .hasPhases = m_legend->hasPhases()});
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
        return m_panes->clearSelection();
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
    m_trace->write(m_session->run().store(), file, m_view->brush().value_or(m_view->window()));
}

void TimelinePage::exportTrace() {
    if (!m_session || m_view->scene().rankCount() == 0)
        return emit message(tr("There is nothing to export yet"));
    m_trace->chooseFile(toQString(m_session->view().info.id) + QStringLiteral("-trace.json"));
}

} // namespace rankscope::ui
