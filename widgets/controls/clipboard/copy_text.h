// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;
class QWidget;

namespace rankscope::ui {

/// Puts a text on the clipboard, shows "Copied" for two seconds over the window, just below `from`, and makes screen
/// readers say it. `from` is the button, or the view that the text is from; if it is null, the caller tells the user.
void copyText(const QString& text, const QWidget* from = nullptr);

} // namespace rankscope::ui
