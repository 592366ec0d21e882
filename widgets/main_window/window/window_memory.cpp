// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/window_memory.h"

#include "widgets/config/page/config_page.h"
#include "widgets/main_window/actions/recent_menu.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/tour_guide.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs_page/page/runs_page.h"

#include <QMainWindow>

namespace rankscope::ui {

static constexpr int kWriteMs = 2000; ///< after the last change

WindowMemory::WindowMemory(bool enabled, WindowSettings* settings, QMainWindow* window, PageTabs* tabs,
                           RecentMenu* recent, const TourGuide* tour)
    : m_enabled(enabled), m_settings(settings), m_written(*settings), m_window(window), m_tabs(tabs), m_recent(recent),
      m_tour(tour) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(kWriteMs);
    connect(&m_timer, &QTimer::timeout, this, &WindowMemory::write);
    connect(m_tabs, &QTabWidget::currentChanged, this, &WindowMemory::writeSoon);
    m_recent->setPaths(m_settings->recentRecipes, m_settings->recentRuns);
    connect(m_recent, &RecentMenu::clearRequested, this, [this] {
        m_settings->recentRecipes.clear();
        m_settings->recentRuns.clear();
        m_recent->setPaths({}, {});
        writeSoon();
    });
}

void WindowMemory::restoreLayout() {
    if (!m_settings->geometry.isEmpty())
        m_window->restoreGeometry(m_settings->geometry);
    if (!m_settings->review.isEmpty())
        m_tabs->review()->restoreLayout(m_settings->review);
    if (!m_settings->config.isEmpty())
        m_tabs->config()->restoreLayout(m_settings->config);
    if (!m_settings->runs.isEmpty())
        m_tabs->runs()->restoreLayout(m_settings->runs);
}

void WindowMemory::write() {
    if (!m_enabled)
        return;
    m_settings->geometry = m_window->saveGeometry();
    m_settings->review = m_tabs->review()->saveLayout();
    m_settings->config = m_tabs->config()->saveLayout();
    m_settings->runs = m_tabs->runs()->saveLayout();
    m_settings->lastConfig = m_tabs->config()->file()->path();
    m_tour->keepFormer(m_settings->lastRun, m_settings->lastConfig); // the recording goes with the window
    m_settings->page = static_cast<int>(m_tabs->page());
    if (*m_settings != m_written)
        m_settings->store();
    m_written = *m_settings;
}

void WindowMemory::writeSoon() {
    m_timer.start();
}

void WindowMemory::noteOpened(const QString& path, bool isRun) {
    if (path.isEmpty() || m_tour->isRecording(path))
        return;
    rememberRecent(isRun ? m_settings->recentRuns : m_settings->recentRecipes, path);
    m_recent->setPaths(m_settings->recentRecipes, m_settings->recentRuns);
}

} // namespace rankscope::ui
