// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rankscope::ui {

class Actions;
class PageTabs;
class RunOpener;
struct WindowSettings;

/// The actions of the Plots menu, on the Review page and on the Timeline.
class PlotActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it. Log scale and smoothing are read from `settings` and saved in it.
    PlotActions(Actions* actions, RunOpener* opener, PageTabs* tabs, WindowSettings* settings);

    void updateActions();

private:
    void connectSwitches(WindowSettings* settings);
    void connectZoom();
    void solo(int rank);

    Actions* m_actions;
    RunOpener* m_opener;
    PageTabs* m_tabs;
    int m_solo = -1; ///< the only rank that is shown; -1: all are
};

} // namespace rankscope::ui
