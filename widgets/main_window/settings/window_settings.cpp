// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/settings/window_settings.h"

#include <QSettings>

namespace rankscope::ui {

WindowSettings WindowSettings::load() {
    QSettings s(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("rankscope"), QStringLiteral("window"));
    WindowSettings w;
    w.theme = s.value(QStringLiteral("theme"), w.theme).toString();
    w.language = s.value(QStringLiteral("language")).toString();
    w.geometry = s.value(QStringLiteral("geometry")).toByteArray();
    w.review = s.value(QStringLiteral("review")).toByteArray();
    w.config = s.value(QStringLiteral("config")).toByteArray();
    w.runs = s.value(QStringLiteral("runs")).toByteArray();
    w.lastConfig = s.value(QStringLiteral("lastConfig")).toString();
    w.lastRun = s.value(QStringLiteral("lastRun")).toString();
    w.recentRecipes = s.value(QStringLiteral("recentRecipes")).toStringList();
    w.recentRuns = s.value(QStringLiteral("recentRuns")).toStringList();
    w.page = s.value(QStringLiteral("page"), 0).toInt();
    w.hidden = s.value(QStringLiteral("hidden")).toStringList();
    w.notify = s.value(QStringLiteral("notify"), true).toBool();
    w.quitTold = s.value(QStringLiteral("quitTold"), false).toBool();
    w.tourDone = s.value(QStringLiteral("tourDone"), false).toBool();
    w.logScale = s.value(QStringLiteral("logScale"), false).toBool();
    w.smoothing = s.value(QStringLiteral("smoothing"), false).toBool();
    return w;
}

void WindowSettings::store() const {
    QSettings s(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("rankscope"), QStringLiteral("window"));
    s.setValue(QStringLiteral("theme"), theme);
    s.setValue(QStringLiteral("language"), language);
    s.setValue(QStringLiteral("geometry"), geometry);
    s.setValue(QStringLiteral("review"), review);
    s.setValue(QStringLiteral("config"), config);
    s.setValue(QStringLiteral("runs"), runs);
    s.setValue(QStringLiteral("lastConfig"), lastConfig);
    s.setValue(QStringLiteral("lastRun"), lastRun);
    s.setValue(QStringLiteral("recentRecipes"), recentRecipes);
    s.setValue(QStringLiteral("recentRuns"), recentRuns);
    s.setValue(QStringLiteral("page"), page);
    s.setValue(QStringLiteral("hidden"), hidden);
    s.setValue(QStringLiteral("notify"), notify);
    s.setValue(QStringLiteral("quitTold"), quitTold);
    s.setValue(QStringLiteral("tourDone"), tourDone);
    s.remove(QStringLiteral("follow")); // of an older version: a run is followed from its opening on
    s.setValue(QStringLiteral("logScale"), logScale);
    s.setValue(QStringLiteral("smoothing"), smoothing);
}

} // namespace rankscope::ui
