// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, fonts and icons of the window, for light and dark.
#pragma once

#include "widgets/theme/palette.h"

#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPen>
#include <QString>

namespace rankscope::ui {

// The window's fonts: a Latin family first, then one with Chinese glyphs.
QFont bodyFont();      ///< 10 pt
QFont secondaryFont(); ///< 9 pt
QFont titleFont();     ///< 13 pt semibold: the run's name
QFont headingFont();   ///< 10 pt semibold
QFont monoFont(double points = 9.5);

class Theme : public QObject {
    Q_OBJECT
public:
    enum class Mode { System, Light, Dark };
    static Theme& instance(); ///< created by main() before the first widget
    void apply(Mode mode);    ///< sets the application's palette, fonts and style; emits changed()
    Mode mode() const { return m_mode; }
    const Palette& palette() const { return m_palette; }

    /// Returns a rank's pen: Okabe-Ito colours in fixed order, from rank 5 on with a dash pattern as a second cue.
    /// Width 1.5 px. Where runs are compared, no rank is shown, and the pens are those of the runs.
    QPen rankPen(int rank) const;
    /// Returns an icon of resources/icons by name, in the theme's text colour.
    QIcon icon(const QString& name) const;

signals:
    void changed();

private:
    Theme();
    bool systemIsDark() const;
    Mode m_mode = Mode::System;
    bool m_platformWasDark = false; ///< read before our own palette hid the platform's
    Palette m_palette;
};

} // namespace rankscope::ui
