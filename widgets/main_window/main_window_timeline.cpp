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
    connect(m_timeline, &TimelinePage::logRequested, this, [this](int rank, qint64) {
        showPage(Page::Logs);
        m_logs->showRank(rank);
    });
    connect(m_timeline, &TimelinePage::incidentRequested, this, [this](qint64 id) {
        showPage(Page::Incidents);
        m_incidents->select(id);
    });
}

} // namespace rankscope::ui
