// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page and the others: where it leads to, and what it shows with them.
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QTimer>

namespace rankscope::ui {

static constexpr int kRestMs = 150;

void MainWindow::connectTimeline() {
    connect(m_timeline, &TimelinePage::message, this, &MainWindow::say);
    connect(m_timeline, &TimelinePage::failed, this, [this](const QString& problem) { complain(problem); });
    connect(m_timeline, &TimelinePage::stepRequested, this, [this](qint64 step) {
        showPage(Page::Review);
        m_review->showStep(step);
    });
    connect(m_timeline, &TimelinePage::logRequested, this, [this](int rank, qint64 timeNs) {
        showPage(Page::Logs);
        m_logs->showRank(rank);
        m_logs->showTime(timeNs);
    });
    connect(m_timeline, &TimelinePage::incidentRequested, this, [this](qint64 id) {
        showPage(Page::Incidents);
        m_incidents->select(id);
    });
    // both show the same part; the page that is not seen follows when the other one rests
    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(kRestMs);
    connect(m_timeline, &TimelinePage::windowChanged, rest, qOverload<>(&QTimer::start));
    connect(rest, &QTimer::timeout, this, [this] {
        const PlotRange part = m_timeline->view()->window();
        m_review->showTime(static_cast<qint64>(part.lo), static_cast<qint64>(part.hi));
    });
    connect(m_review, &ReviewPage::windowChanged, m_timeline, [this](double from, double to) {
        m_timeline->showTime(static_cast<qint64>(from * 1e9), static_cast<qint64>(to * 1e9));
    });
    connectSharedActions();
}

/// Zoom, Follow and the way from incident to incident act on the page that is seen.
void MainWindow::connectSharedActions() {
    TimelineView* lanes = m_timeline->view();
    const auto on = [this](Act act, void (ReviewPage::*review)(), auto timeline) {
        connect((*m_actions)[act], &QAction::triggered, this, [this, review, timeline] {
            if (page() == Page::Timeline)
                timeline();
            else
                (m_review->*review)();
        });
    };
    on(Act::ZoomIn, &ReviewPage::zoomIn, [lanes] { lanes->zoomCentre(0.5); });
    on(Act::ZoomOut, &ReviewPage::zoomOut, [lanes] { lanes->zoomCentre(2); });
    on(Act::ZoomAll, &ReviewPage::zoomAll, [lanes] { lanes->zoomAll(); });
    on(Act::PreviousIncident, &ReviewPage::previousIncident, [lanes] { lanes->stepIncident(-1); });
    on(Act::NextIncident, &ReviewPage::nextIncident, [lanes] { lanes->stepIncident(1); });
    connect((*m_actions)[Act::Follow], &QAction::triggered, m_review, &ReviewPage::setFollow);
}

/// Single letters act on plots and lanes only where those are.
void MainWindow::updatePlotActions() {
    const bool plots = m_session && page() == Page::Review, lanes = m_session && page() == Page::Timeline;
    for (int i = static_cast<int>(Act::Follow); i <= static_cast<int>(Act::Solo9); ++i)
        (*m_actions)[static_cast<Act>(i)]->setEnabled(plots);
    (*m_actions)[Act::SampleAxis]->setEnabled(plots && m_review->hasAxis(CurveAxis::SampleCount));
    const bool live = m_session && launch::isLive(m_session->view().info.state);
    (*m_actions)[Act::Follow]->setChecked(live && m_review->follow());
    if (!lanes)
        return;
    for (const Act act : {Act::ZoomIn, Act::ZoomOut, Act::ZoomAll, Act::PreviousIncident, Act::NextIncident})
        (*m_actions)[act]->setEnabled(true);
    (*m_actions)[Act::Follow]->setEnabled(live);
}

} // namespace rankscope::ui
