// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/settings/window_settings.h"

#include <QSettings>

namespace rankscope::ui {

/// Calls `visit` with the key and the value of each setting.
template <typename Settings, typename Visit> static void visitSettings(Settings& settings, Visit visit) {
    visit("theme", settings.theme);
    visit("language", settings.language);
    visit("geometry", settings.geometry);
    visit("review", settings.review);
    visit("config", settings.config);
    visit("runs", settings.runs);
    visit("lastConfig", settings.lastConfig);
    visit("lastRun", settings.lastRun);
    visit("recentRecipes", settings.recentRecipes);
    visit("recentRuns", settings.recentRuns);
    visit("recentCommands", settings.recentCommands);
    visit("nemoPython", settings.nemoPython);
    visit("page", settings.page);
    visit("hidden", settings.hidden);
    visit("notify", settings.notify);
    visit("quitTold", settings.quitTold);
    visit("tourDone", settings.tourDone);
    visit("logScale", settings.logScale);
    visit("smoothing", settings.smoothing);
}

WindowSettings WindowSettings::load() {
    const QSettings file(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("rankscope"),
                         QStringLiteral("window"));
    WindowSettings settings;
    visitSettings(settings, [&file]<typename Value>(const char* key, Value& value) {
        value = file.value(QLatin1String(key), QVariant::fromValue(value)).template value<Value>();
    });
    return settings;
}

void WindowSettings::store() const {
    QSettings file(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("rankscope"), QStringLiteral("window"));
    visitSettings(*this, [&file](const char* key, const auto& value) { file.setValue(QLatin1String(key), value); });
    // written by an older version; now a run is always followed from the time it is opened
    file.remove(QStringLiteral("follow"));
}

} // namespace rankscope::ui
