// SPDX-License-Identifier: GPL-3.0-or-later
// The window's language; a change takes effect immediately, by QEvent::LanguageChange.
#pragma once

#include <QString>

namespace rankscope::ui {

/// Sets "en" or "zh"; anything else means the system's language, or English if there is no translation.
void setLanguage(const QString& code);
QString language(); ///< "en" or "zh"

} // namespace rankscope::ui
