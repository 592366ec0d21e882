// SPDX-License-Identifier: GPL-3.0-or-later
// What the window asks before it closes.
#pragma once

class QWidget;

namespace rankscope::launch {
struct RunInfo;
}

namespace rankscope::ui {

class ConfigPage;

/// Tells that a run goes on without the window. False: the user stays. `dontAsk` is set to what the user ticked when
/// the answer is to quit.
bool confirmQuit(const launch::RunInfo& run, bool* dontAsk, QWidget* window);
/// Offers to save the recipe's edits. False: the user stays, or they could not be saved.
bool confirmUnsaved(ConfigPage* page, QWidget* window);

} // namespace rankscope::ui
