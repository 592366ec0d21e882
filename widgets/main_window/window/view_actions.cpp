// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/view_actions.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/theme/theme.h"

namespace rankscope::ui {

static void connectPane(Actions* actions, Act act, QWidget* pane, const QString& name, WindowSettings* settings) {
    QAction* action = (*actions)[act];
    action->setChecked(!settings->hidden.contains(name));
    pane->setVisible(action->isChecked());
    QObject::connect(action, &QAction::toggled, pane, [pane, name, settings](bool on) {
        pane->setVisible(on);
        settings->hidden.removeAll(name);
        if (!on)
            settings->hidden << name;
    });
}

static void connectTheme(Actions* actions, Act act, Theme::Mode mode, const QString& name, WindowSettings* settings) {
    (*actions)[act]->setChecked(Theme::instance().mode() == mode);
    actions->on(act, actions, [mode, name, settings] {
        settings->theme = name;
        Theme::instance().apply(mode);
    });
}

static void connectLanguage(Actions* actions, Act act, const QString& code, WindowSettings* settings) {
    (*actions)[act]->setChecked(language() == code);
    actions->on(act, actions, [code, settings] {
        settings->language = code;
        setLanguage(code);
    });
}

void connectViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier,
                        WindowSettings* settings) {
    connectPane(actions, Act::ShowRuns, runs, QStringLiteral("runs"), settings);
    connectPane(actions, Act::ShowCards, tabs->config()->cards(), QStringLiteral("cards"), settings);
    connectPane(actions, Act::ShowText, tabs->config()->textPane(), QStringLiteral("text"), settings);
    connectPane(actions, Act::ShowLaunch, tabs->config()->launchPanel(), QStringLiteral("launch"), settings);
    connectPane(actions, Act::ShowStatus, tabs->status(), QStringLiteral("status"), settings);
    QAction* notify = (*actions)[Act::Notify];
    notify->setChecked(settings->notify);
    notifier->setEnabled(settings->notify);
    QObject::connect(notify, &QAction::toggled, notifier, [notifier, settings](bool wanted) {
        settings->notify = wanted;
        notifier->setEnabled(wanted);
    });
    connectTheme(actions, Act::ThemeSystem, Theme::Mode::System, QStringLiteral("system"), settings);
    connectTheme(actions, Act::ThemeLight, Theme::Mode::Light, QStringLiteral("light"), settings);
    connectTheme(actions, Act::ThemeDark, Theme::Mode::Dark, QStringLiteral("dark"), settings);
    connectLanguage(actions, Act::LanguageEnglish, QStringLiteral("en"), settings);
    connectLanguage(actions, Act::LanguageChinese, QStringLiteral("zh"), settings);
}

} // namespace rankscope::ui
