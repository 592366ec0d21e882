// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/window/main_window.h"

#include <QString>

namespace rankscope::workbench {

/// Waits until the window shows all that it was asked for, saves it, and ends the event loop: 0, or 1 with one line on
/// stderr when it took too long or could not be written.
void takeScreenshot(ui::MainWindow& window, const QString& file);

} // namespace rankscope::workbench
