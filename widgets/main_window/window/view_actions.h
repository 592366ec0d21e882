// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rankscope::ui {

class Actions;
class Notifier;
class PageTabs;
class RunsPanel;
struct WindowSettings;

/// Connects the actions of the View menu that the user's settings keep: panes, notifications, theme and language. They
/// start as `settings` says, which keeps what is chosen.
void connectViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier,
                        WindowSettings* settings);

} // namespace rankscope::ui
