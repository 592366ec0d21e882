// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/page_tabs.h"

#include "widgets/config/page/config_page.h"
#include "widgets/explain/explain_page.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/models/view/run_view.h"
#include "widgets/review/annotations/annotation_controller.h"
#include "widgets/review/annotations/annotation_model.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QTabBar>
#include <QTimer>

namespace rankscope::ui {

static constexpr int kRestMs = 150;
static constexpr int kSaidMs = 15'000;
static constexpr int kTabsGap = 16; ///< between the tabs and the message next to them

PageTabs::PageTabs(QWidget* parent)
    : QTabWidget(parent), m_config(new ConfigPage(this)), m_review(new ReviewPage(this)),
      m_timeline(new TimelinePage(this)), m_incidents(new IncidentPage(this)), m_logs(new LogPage(this)),
      m_runs(new RunsPage(this)), m_explain(new ExplainPage(this)), m_status(new StatusLine(this)) {
    setDocumentMode(true);
    tabBar()->setExpanding(false);
    tabBar()->setDrawBase(true);
    tabBar()->setFocusPolicy(Qt::TabFocus);
    for (QWidget* page :
         std::initializer_list<QWidget*>{m_config, m_review, m_timeline, m_incidents, m_logs, m_runs, m_explain})
        addTab(page, QString());
    setCornerWidget(m_status, Qt::TopRightCorner);
    connectPages();
    linkTimeline();
}

/// Disconnects the pages: signals that they emit while being destroyed must not reach a partly destroyed object.
PageTabs::~PageTabs() {
    for (QObject* page : std::initializer_list<QObject*>{m_config, m_review, m_timeline, m_incidents, m_runs})
        page->disconnect(this);
}

void PageTabs::connectPages() {
    connect(m_config, &ConfigPage::message, this, &PageTabs::showStatus);
    connect(m_review, &ReviewPage::message, this, &PageTabs::sayOfRun);
    connect(m_timeline, &TimelinePage::message, this, &PageTabs::sayOfRun);
    connect(m_runs, &RunsPage::message, this, &PageTabs::showStatus);
    connect(m_explain, &ExplainPage::message, this, &PageTabs::showStatus);
    connect(m_config, &ConfigPage::causeRequested, this, [this](const QString& cause) {
        showPage(Page::Incidents);
        m_incidents->selectCause(cause);
    });
    connect(m_review, &ReviewPage::logRequested, this, &PageTabs::showLog);
    connect(m_review, &ReviewPage::incidentSelected, this, &PageTabs::showIncident);
    connect(m_review->annotations(), &AnnotationController::timelineRequested, this,
            [this](const AnnotationItem& item) {
                showPage(Page::Timeline);
                m_timeline->showMoment(item.timeNs);
            });
    connect(m_review->annotations(), &AnnotationController::read, this, [this](const ExtrasPtr& extras) {
        m_timeline->setAnnotations(extras ? extras->annotations : std::vector<launch::Annotation>());
    });
    connect(m_review->annotations(), &AnnotationController::selected, m_timeline->view(),
            &TimelineView::selectAnnotation);
    connect(m_timeline, &TimelinePage::annotationSelected, m_review->annotations(), &AnnotationController::select);
    connect(m_timeline, &TimelinePage::stepRequested, this, &PageTabs::showStep);
    connect(m_timeline, &TimelinePage::logRequested, this, &PageTabs::showLog);
    connect(m_timeline, &TimelinePage::incidentRequested, this, &PageTabs::showIncident);
    connect(m_incidents, &IncidentPage::jumpRequested, this, &PageTabs::showStep);
    connect(m_incidents, &IncidentPage::timelineRequested, this, [this](qint64 id) {
        showPage(Page::Timeline);
        m_timeline->showIncident(id);
    });
    connect(m_incidents, &IncidentPage::message, this, &PageTabs::sayOfRun);
}

/// Makes Review and Timeline show the same part of the run: the hidden page follows the visible one when that one stops
/// moving. Changes that the hidden page makes itself, such as following a live run, do not move the visible one.
void PageTabs::linkTimeline() {
    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(kRestMs);
    connect(m_timeline, &TimelinePage::windowChanged, rest, [this, rest] {
        if (page() == Page::Timeline)
            rest->start();
    });
    connect(rest, &QTimer::timeout, this, [this] {
        const PlotRange part = m_timeline->view()->window();
        if (m_timeline->view()->showsAll())
            m_review->showAll();
        else
            m_review->showTime(static_cast<qint64>(part.lo), static_cast<qint64>(part.hi));
    });
    connect(m_review, &ReviewPage::windowChanged, m_timeline, [this](double from, double to) {
        if (page() == Page::Timeline)
            return;
        if (m_review->showsAll())
            m_timeline->showAll();
        else
            m_timeline->showTime(static_cast<qint64>(from * 1e9), static_cast<qint64>(to * 1e9));
    });
}

bool PageTabs::isAboutOneRun() const {
    return page() != Page::Configure && page() != Page::Runs && page() != Page::Explain;
}

bool PageTabs::isPageComplete() const {
    switch (page()) {
    case Page::Review:
        return m_review->isComplete();
    case Page::Timeline:
        return m_timeline->isComplete();
    case Page::Runs:
        return m_runs->isComplete();
    case Page::Explain:
        return m_explain->isComplete();
    case Page::Configure:
    case Page::Incidents:
    case Page::Logs:
        break;
    }
    return true;
}

bool PageTabs::focusSearch() {
    switch (page()) {
    case Page::Configure:
        return m_config->focusSearch(), true;
    case Page::Timeline:
        return m_timeline->focusSearch(), true;
    case Page::Logs:
        return m_logs->focusFilter(), true;
    case Page::Runs:
        return m_runs->focusFilter(), true;
    case Page::Review:
    case Page::Incidents:
    case Page::Explain:
        break;
    }
    return false;
}

void PageTabs::showStep(qint64 step) {
    showPage(Page::Review);
    m_review->showStep(step);
}

void PageTabs::showIncident(qint64 id) {
    showPage(Page::Incidents);
    m_incidents->select(id);
}

void PageTabs::showLog(int rank, qint64 timeNs) {
    showPage(Page::Logs);
    m_logs->showRank(rank);
    m_logs->showTime(timeNs);
}

void PageTabs::setSession(RunSession* session) {
    if (m_status->currentMessage() == m_saidOfRun)
        m_status->clearMessage();
    m_review->setSession(session);
    m_timeline->setSession(session);
    m_incidents->setSession(session);
    m_logs->setSession(session);
}

void PageTabs::setTitles(bool hasUnsavedEdits, const RunView* view) {
    // only if it differs: each change lays out the tabs again
    const auto title = [this](Page page, const QString& text) {
        if (tabText(static_cast<int>(page)) != text)
            setTabText(static_cast<int>(page), text);
    };
    const int incidents = view ? static_cast<int>(view->incidents.size()) : 0;
    title(Page::Configure, hasUnsavedEdits ? tr("Configure •") : tr("Configure"));
    const bool live = view && launch::isLive(view->info.state);
    title(Page::Review, live ? tr("Live") : tr("Review"));
    title(Page::Timeline, tr("Timeline"));
    // for a live run also 0, so that the tabs after it do not move when the first incident opens
    title(Page::Incidents, incidents || live ? tr("Incidents (%1)").arg(incidents) : tr("Incidents"));
    title(Page::Logs, tr("Logs"));
    title(Page::Runs, tr("Runs"));
    title(Page::Explain, tr("Explain"));
    fitStatusLine(); // tabs have priority over a message
}

void PageTabs::showStatus(const QString& text) {
    fitStatusLine(); // the tabs may have grown
    m_status->showMessage(text, kSaidMs);
}

void PageTabs::sayOfRun(const QString& text) {
    m_saidOfRun = text;
    showStatus(text);
}

void PageTabs::fitStatusLine() {
    m_status->setRoom(width() - tabBar()->sizeHint().width() - kTabsGap);
}

} // namespace rankscope::ui
