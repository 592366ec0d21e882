// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/fonts.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QStringList>

namespace rankscope::ui {

static void addKnown(QStringList& list, const QStringList& wanted) {
    for (const QString& family : wanted)
        if (QFontDatabase::hasFamily(family) && !list.contains(family))
            list << family;
}

/// The desktop's own font when it names one; a bare X server or none says only "Sans".
static QStringList sansFamilies() {
    QStringList list;
    const QString desktop = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    static const QStringList generic{QStringLiteral("Sans Serif"), QStringLiteral("Sans"), QStringLiteral("sans-serif"),
                                     QStringLiteral("DejaVu Sans"), QString()};
    if (!generic.contains(desktop))
        addKnown(list, {desktop});
    addKnown(list, {QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("Cantarell"),
                    QStringLiteral("Ubuntu"), QStringLiteral("Open Sans"), QStringLiteral("Noto Sans CJK SC"),
                    QStringLiteral("Source Han Sans SC"), QStringLiteral("WenQuanYi Micro Hei"),
                    QStringLiteral("Droid Sans Fallback"), QStringLiteral("DejaVu Sans")});
    if (list.isEmpty())
        list << desktop;
    return list;
}

static QFont sans(double points, QFont::Weight weight = QFont::Normal) {
    static const QStringList families = sansFamilies();
    QFont font;
    font.setFamilies(families);
    font.setPointSizeF(points);
    font.setWeight(weight);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("tnum", 1); // figures keep their columns
#endif
    return font;
}

QFont bodyFont() {
    return sans(10);
}

QFont secondaryFont() {
    return sans(9);
}

QFont titleFont() {
    return sans(13, QFont::DemiBold);
}

QFont headingFont() {
    return sans(10, QFont::DemiBold);
}

QFont monoFont(double points) {
    static const QStringList families = [] {
        QStringList list;
        addKnown(list, {QStringLiteral("JetBrains Mono"), QStringLiteral("Source Code Pro"),
                        QStringLiteral("Noto Sans Mono"), QStringLiteral("DejaVu Sans Mono"),
                        QStringLiteral("Liberation Mono"), QStringLiteral("Noto Sans Mono CJK SC"),
                        QStringLiteral("Noto Sans CJK SC"), QStringLiteral("WenQuanYi Micro Hei Mono")});
        if (list.isEmpty())
            list << QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
        return list;
    }();
    QFont font;
    font.setFamilies(families);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPointSizeF(points);
    return font;
}

} // namespace rankscope::ui
