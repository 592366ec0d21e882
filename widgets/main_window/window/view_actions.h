// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

class QWidget;

namespace rankscope::ui {

class Actions;
class Notifier;
class PageTabs;
class RunsPanel;
struct WindowSettings;
enum class Act;

/// The actions of the View menu that the user's settings keep: panes, notifications, theme and language.
class ViewActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it. `settings`: the panes and notifications start as it says; it keeps what is chosen.
    ViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier, WindowSettings* settings);

private:
    void connectPane(Act act, QWidget* pane, const QString& name);
    void connectTheme();
    void connectLanguage();

    Actions* m_actions;
    WindowSettings* m_settings;
};

} // namespace rankscope::ui
