// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/settings/window_language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

static void initTranslations() {
    Q_INIT_RESOURCE(translations);
}

namespace rankscope::ui {

static QString& current() {
    static QString code = QStringLiteral("en");
    return code;
}

QString language() {
    return current();
}

void setLanguage(const QString& code) {
    initTranslations();
    QString wanted = code;
    if (wanted != QLatin1String("en") && wanted != QLatin1String("zh"))
        wanted = QLocale::system().language() == QLocale::Chinese ? QStringLiteral("zh") : QStringLiteral("en");
    current() = wanted;
    const bool chinese = wanted == QLatin1String("zh");
    // before the event that translators send, because numbers and sentences use the default locale
    QLocale::setDefault(chinese ? QLocale(QLocale::Chinese, QLocale::China)
                                : QLocale(QLocale::English, QLocale::UnitedStates));
    static QTranslator own, qt;
    QCoreApplication::removeTranslator(&qt);
    QCoreApplication::removeTranslator(&own);
    if (chinese && qt.load(QStringLiteral("qtbase_zh_CN"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&qt);
    // English needs one too, for its plurals
    if (own.load(chinese ? QStringLiteral(":/translations/rankscope_zh_CN.qm")
                         : QStringLiteral(":/translations/rankscope_en.qm")))
        QCoreApplication::installTranslator(&own);
}

} // namespace rankscope::ui
