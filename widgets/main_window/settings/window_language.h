// SPDX-License-Identifier: GPL-3.0-or-later
// The window's language; a change acts at once, by QEvent::LanguageChange.
#pragma once

#include <QString>

namespace rankscope::ui {

/// "en" or "zh"; anything else: the system's, English when there is no translation.
void setLanguage(const QString& code);
QString language(); ///< "en" or "zh"

} // namespace rankscope::ui
