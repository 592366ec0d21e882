// SPDX-License-Identifier: GPL-3.0-or-later
// The window's colours as Qt's palette roles.
#pragma once

#include "widgets/theme/theme.h"

#include <QPalette>

namespace rankscope::ui {

Palette lightPalette();
Palette darkPalette();
QPalette toQPalette(const Palette& colours);

/// `top` laid over `base` with the given share: tints that look the same on light and dark.
QColor blend(const QColor& base, const QColor& top, double share);

} // namespace rankscope::ui
