// SPDX-License-Identifier: GPL-3.0-or-later
// Questions that the window asks before it closes.
#pragma once

class QWidget;

namespace rankscope::launch {
struct RunInfo;
}

namespace rankscope::ui {

class ConfigPage;
class RunSession;

/// Says that a run continues without the window. Returns false if the user cancels; otherwise sets `dontAsk` to
/// whether the user ticked the box.
bool confirmQuit(const launch::RunInfo& run, bool* dontAsk, QWidget* window);
/// Offers to save the recipe's edits. Returns false if the user cancels or they could not be saved.
bool confirmUnsaved(ConfigPage* page, QWidget* window);

/// Returns whether the window may close. The first time that the user quits while a run is live, says that the run
/// continues, because it belongs to its supervisor; `quitTold` is set if that must not be said again. `session` is the
/// open run's; null: none is open.
bool confirmClose(const RunSession* session, ConfigPage* page, bool* quitTold, QWidget* window);

} // namespace rankscope::ui
