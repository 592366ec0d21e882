// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/settings/window_settings.h"

#include <QMargins>
#include <QObject>
#include <QRect>
#include <QTimer>

class QMainWindow;

namespace rankscope::ui {

class Actions;
class Notifier;
class PageTabs;
class RecentMenu;
class RunsPanel;
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

/// Connects the actions of the View menu that the user's settings keep: panes, notifications, theme and language. They
/// start as `settings` says, which keeps what is chosen.
void connectViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier,
                        WindowSettings* settings);

/// The client area nearest to `client` that lies in `available` together with its frame.
QRect fittedClient(const QRect& client, const QMargins& frame, const QRect& available);

} // namespace rankscope::ui
