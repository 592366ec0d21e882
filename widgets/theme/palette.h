// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>
#include <QPalette>

namespace rankscope::ui {

/// The window's colours. Each has one meaning; none of those with a hue is a rank's (Theme::rankPen()). Waiting has no
/// colour: it is a hatch, see hatchBrush().
struct Palette {
    bool dark = false;
    QColor window, panel, raised, text, secondary, hairline;
    QColor accent;   ///< selection, focus and links
    QColor incident; ///< incidents, the ranks that cause them, and settings that can
    QColor data;     ///< waiting for data
    QColor good;     ///< ranks that compute, checks that passed, and figures that are better
    QColor dead;     ///< errors, ranks that failed, and figures that are worse
    QColor caution;  ///< warnings

    /// Returns the colour of an incident's sign. That of a pause of the whole run, which nobody causes, is neutral.
    QColor incidentSign(bool isPause) const { return isPause ? secondary : incident; }
    /// Returns the ground of a box that an incident or an error tints.
    QColor tinted(const QColor& tint) const;
    /// Returns the ground of a selected row that has secondary text, too.
    QColor selectedRow() const;
    /// Returns the ground of a link in a frame while the pointer is over it.
    QColor hoveredLink() const;
    /// Returns a matrix cell's ground for a wait's share of the longest one, 0 to 1.
    QColor waitShade(double share) const;
    /// Returns the lines of a hatch: on bars and cells, and, fainter, below small text on tiles.
    QColor hatch() const;
    QColor tileHatch() const;
    /// Returns the ground of what a search found; only the colour of plain text can be read on it.
    QColor searchHit() const;
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

/// Returns the contrast of two opaque colours as WCAG 2 defines it, 1 to 21.
double contrast(const QColor& a, const QColor& b);
/// Returns black or white, whichever is easier to read on `ground`: the contrast is at least 4.5.
QColor textOn(const QColor& ground);

inline constexpr int kHatchApart = 5; ///< px between the lines of a hatch
/// Returns a brush of thin diagonal lines on `ground`, the sign of waiting.
QBrush hatchBrush(const QColor& lines, const QColor& ground = Qt::transparent);

} // namespace rankscope::ui
