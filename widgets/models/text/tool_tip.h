// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace rankscope::ui {

/// Returns text as a tool tip that is shown literally. Qt treats a tip that looks like markup as markup and reads the
/// pictures it names, in the window's thread: a name or note of an unknown run could make it read any file, or wait for
/// a pipe that never answers. Use it for every tip with text from a file, and only once.
QString plainToolTip(const QString& text);

} // namespace rankscope::ui
