// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rankscope::ui {

class Actions;
class MissingFolderNotice;
class PageTabs;
class RunOpener;
struct RunView;

/// Shows how the open run ended: its menu entries, the notice that its folder is gone, and, once, the place where a
/// failed run ended.
class EndingActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it.
    EndingActions(Actions* actions, RunOpener* opener, PageTabs* tabs, MissingFolderNotice* gone);

    void update(); ///< call it when the open run's view has changed

private:
    void showEnd(const RunView& view);

    Actions* m_actions;
    RunOpener* m_opener;
    PageTabs* m_tabs;
    MissingFolderNotice* m_gone;
    bool m_endSeen = false;    ///< the end of the open run has been shown
    bool m_endWatched = false; ///< the open run ended while it was open
};

} // namespace rankscope::ui
