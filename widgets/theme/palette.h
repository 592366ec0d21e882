// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>

namespace rankscope::ui {

/// The window's colours.
struct Palette {
    bool dark = false;
    QColor window, panel, raised, text, secondary, hairline, accent;
    QColor computing, waiting, holder, stopped, dead; ///< of ranks, by state
    QColor danger, caution;                           ///< for a recipe's problems; never a rank's colour
};

Palette lightPalette();
Palette darkPalette();
/// Returns the colours as Qt's palette roles.
QPalette toQPalette(const Palette& colours);

/// Returns `top` blended over `base` with the given share, for tints that look the same on light and dark.
QColor blend(const QColor& base, const QColor& top, double share);
/// Returns the same colour with another opacity, 0 to 1.
inline QColor withAlpha(QColor colour, float alpha) {
    colour.setAlphaF(alpha);
    return colour;
}

} // namespace rankscope::ui
