// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace rankscope::ui {

class Actions;
class GuideWindow;
class NoticeStrip;

/// The actions of the Help menu that need no run: the guide, the list of shortcuts, and the version.
class HelpActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; `window` is the parent of the guide and of the list.
    HelpActions(const Actions* actions, NoticeStrip* notices, QWidget* window);

private:
    void showAbout();
    void showGuide();

    NoticeStrip* m_notices;
    QWidget* m_window;
    GuideWindow* m_guide = nullptr; ///< null until first used
};

} // namespace rankscope::ui
