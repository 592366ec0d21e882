// SPDX-License-Identifier: GPL-3.0-or-later
// Questions that the window asks before it closes.
#pragma once

class QWidget;

namespace rankscope::launch {
struct RunInfo;
}

namespace rankscope::ui {

class ConfigPage;

/// Says that a run continues without the window. Returns false if the user cancels; otherwise sets `dontAsk` to
/// whether the user ticked the box.
bool confirmQuit(const launch::RunInfo& run, bool* dontAsk, QWidget* window);
/// Offers to save the recipe's edits. Returns false if the user cancels or they could not be saved.
bool confirmUnsaved(ConfigPage* page, QWidget* window);

} // namespace rankscope::ui
