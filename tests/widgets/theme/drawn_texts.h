// SPDX-License-Identifier: GPL-3.0-or-later
// What a widget writes, whichever way it does so: its texts are taken from the painter, not from properties.
#pragma once

#include <QColor>
#include <QFont>
#include <QImage>
#include <QList>
#include <QRect>
#include <QString>
#include <QWidget>

namespace rankscope::test {

struct DrawnText {
    QString text;
    QFont font;
    QColor colour; ///< of the pen; it may be translucent
    QRect box;     ///< the part that can be seen, in the widget's coordinates
};

/// Returns the texts in the part of a widget that can be seen, without those of its children. A plot's titles, labels
/// and items are among them.
QList<DrawnText> drawnTexts(QWidget& widget);

/// Returns the colours that a text is written on: each that covers at least an eighth of its box, without the text's
/// own. `picture` shows the widget as it is on the screen.
QList<QColor> groundsOf(const DrawnText& drawn, const QImage& picture);

/// Returns the colour of a text where it is opaque.
QColor inkOn(const DrawnText& drawn, const QColor& ground);

/// Returns whether WCAG calls the text large: it may then have less contrast.
bool isLarge(const QFont& font);

} // namespace rankscope::test
