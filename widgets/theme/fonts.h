// SPDX-License-Identifier: GPL-3.0-or-later
// The window's type sizes. Latin first, a family with Chinese glyphs behind it.
#pragma once

#include <QFont>

namespace rankscope::ui {

QFont bodyFont();      ///< 10 pt
QFont secondaryFont(); ///< 9 pt
QFont titleFont();     ///< 13 pt semibold: the run's name
QFont headingFont();   ///< 10 pt semibold
QFont monoFont(double points = 9.5);

} // namespace rankscope::ui
