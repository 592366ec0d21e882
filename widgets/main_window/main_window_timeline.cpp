// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page and the others: where it leads to, and what it shows with them.
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/main_window.h"
#include "widgets/review/review_page.h"
#include "widgets/timeline/timeline_page.h"

namespace rankscope::ui {

void MainWindow::connectTimeline() {
    connect(m_timeline, &TimelinePage::message, this, &MainWindow::say);
    connect(m_timeline, &TimelinePage::stepRequested, this, [this](qint64 step) {
        showPage(Page::Review);
        m_review->showStep(step);
    });
    connect(m_timeline, &TimelinePage::logRequested, this, [this](int rank, qint64 timeNs) {
        showPage(Page::Logs);
        m_logs->showRank(rank);
        m_logs->showTime(timeNs);
    });
    // one part of the run in plots and lanes; neither tells back what the other showed it
    const auto ns = [](double seconds) { return static_cast<qint64>(seconds * 1e9); };
    connect(m_timeline, &TimelinePage::windowChanged, this,
            [this, ns](double from, double to) { m_review->showTime(ns(from), ns(to)); });
    connect(m_review, &ReviewPage::windowChanged, this,
            [this, ns](double from, double to) { m_timeline->showTime(ns(from), ns(to)); });
    connect(m_timeline, &TimelinePage::incidentRequested, this, [this](qint64 id) {
        showPage(Page::Incidents);
        m_incidents->select(id);
    });
}

} // namespace rankscope::ui
