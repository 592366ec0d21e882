// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

class QWidget;

namespace rankscope::ui {

/// Calls `translate` whenever the window's language has changed, before the widget and its children get the event.
void onLanguageChange(QWidget* widget, std::function<void()> translate);

} // namespace rankscope::ui
