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

/// Keeps the user's settings: restores the window's layout from them, within the screen, and writes them when something
/// has changed.
class WindowMemory final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it. `enabled` false: nothing is ever written.
    WindowMemory(bool enabled, WindowSettings* settings, QMainWindow* window, PageTabs* tabs, RecentMenu* recent,
                 const TourGuide* tour);

    void restoreLayout();
    /// Fits the window into the screen the first time that it is shown. Its frame is known only some time after that.
    void windowShown();
    void write();     ///< now, if something has changed
    void writeSoon(); ///< some seconds after the last call, so that a killed window can restore what was open
    /// Puts a run's folder or a recipe that was just opened at the top of the menu of recent ones.
    void noteOpened(const QString& path, bool isRun);

private:
    void fitToScreen();

    bool m_enabled, m_fitted = false;
    WindowSettings *m_settings, m_written; ///< m_written: the last written state
    QMainWindow* m_window;
    PageTabs* m_tabs;
    RecentMenu* m_recent;
    const TourGuide* m_tour;
    QTimer m_timer;
};

/// Connects the actions of the View menu that are saved in the user's settings: panes, notifications, theme and
/// language. They start from `settings`, which is updated with each choice.
void connectViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier,
                        WindowSettings* settings);

/// Returns the client area nearest to `client` that fits into `available` together with its frame.
QRect fittedClient(const QRect& client, const QMargins& frame, const QRect& available);

} // namespace rankscope::ui
