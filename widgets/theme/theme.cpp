// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/theme.h"

#include "widgets/theme/flat_style.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/icon_engine.h"

#include <QApplication>
#include <QStyleHints>
#include <QToolTip>

// outside any namespace: the macro declares a global function
static void initResources() {
    Q_INIT_RESOURCE(rankscope);
}

namespace rankscope::ui {

Theme::Theme() {
    initResources();
    m_platformWasDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    QObject::connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] {
        if (m_mode == Mode::System)
            apply(m_mode);
    });
#endif
}

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

bool Theme::systemIsDark() const {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    switch (QGuiApplication::styleHints()->colorScheme()) {
    case Qt::ColorScheme::Dark:
        return true;
    case Qt::ColorScheme::Light:
        return false;
    case Qt::ColorScheme::Unknown:
        break;
    }
#endif
    return m_platformWasDark;
}

void Theme::apply(Mode mode) {
    m_mode = mode;
    const bool dark = mode == Mode::Dark || (mode == Mode::System && systemIsDark());
    m_palette = dark ? darkPalette() : lightPalette();
    if (!qobject_cast<FlatStyle*>(QApplication::style()))
        QApplication::setStyle(new FlatStyle(m_palette));
    QApplication::setPalette(toQPalette(m_palette));
    QApplication::setFont(bodyFont());
    QToolTip::setFont(secondaryFont());
    QToolTip::setPalette(toQPalette(m_palette));
    emit changed();
}

QPen Theme::rankPen(int rank) const {
    // Okabe and Ito's colours; black and yellow are exchanged or darkened where the background would swallow them
    static const QColor colours[8] = {QColor(0x00, 0x72, 0xb2), QColor(0xe6, 0x9f, 0x00), QColor(0x00, 0x9e, 0x73),
                                      QColor(0xd5, 0x5e, 0x00), QColor(0xcc, 0x79, 0xa7), QColor(0x56, 0xb4, 0xe9),
                                      QColor(0xf0, 0xe4, 0x42), QColor(0x00, 0x00, 0x00)};
    const int slot = ((rank % 8) + 8) % 8;
    QColor colour = colours[slot];
    if (slot == 0 && m_palette.dark)
        colour = QColor(0x3d, 0x9b, 0xd6);
    else if (slot == 6 && !m_palette.dark)
        colour = QColor(0xb8, 0xa8, 0x00);
    else if (slot == 7)
        colour = m_palette.text;
    QPen pen(colour, 1.5);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap);
    if (rank >= 5) {
        static const QList<qreal> dashes[3] = {{6, 3}, {2, 2}, {6, 2, 2, 2}};
        pen.setDashPattern(dashes[(rank - 5) % 3]);
    }
    return pen;
}

QIcon Theme::icon(const QString& name) const {
    return QIcon(new SvgIconEngine(name, m_palette));
}

} // namespace rankscope::ui
