// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page and the others: where it leads to, and what it shows with them.
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/main_window.h"
#include "widgets/review/review_page.h"
#include "widgets/timeline/timeline_page.h"
#include "widgets/timeline/timeline_view.h"

#include <QTimer>

namespace rankscope::ui {

static constexpr int kRestMs = 150;

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
}

} // namespace rankscope::ui
