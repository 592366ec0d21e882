// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/settings/window_settings.h"

#include <QObject>
#include <QTimer>

class QMainWindow;

namespace rankscope::ui {

class PageTabs;
class RecentMenu;
class TourGuide;

/// Keeps the user's settings: reads the window's layout from them, and writes them when something has changed.
class WindowMemory final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it. `enabled` false: nothing is ever written.
    WindowMemory(bool enabled, WindowSettings* settings, QMainWindow* window, PageTabs* tabs, RecentMenu* recent,
                 const TourGuide* tour);

    void restoreLayout();
    void write();     ///< now, if something has changed
    void writeSoon(); ///< some seconds after the last call: a window that is killed finds again what was open
    /// A run's folder or a recipe was opened: it comes first in the menu of what was opened last.
    void noteOpened(const QString& path, bool isRun);

private:
    bool m_enabled;
    WindowSettings *m_settings, m_written; ///< m_written: as they were written last
    QMainWindow* m_window;
    PageTabs* m_tabs;
    RecentMenu* m_recent;
    const TourGuide* m_tour;
    QTimer m_timer;
};

} // namespace rankscope::ui
