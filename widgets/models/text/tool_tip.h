// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace rankscope::ui {

/// Text as a tool tip that shows it as it is. Qt takes a tip that looks like markup for markup and reads the pictures
/// that it names, in the window's own thread: a name or note of a stranger's run could have it read any file, or wait
/// for a pipe that never answers. Every tip with text from a file goes through here, and only once.
QString plainToolTip(const QString& text);

} // namespace rankscope::ui
