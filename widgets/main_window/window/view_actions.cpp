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

ViewActions::ViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier,
                         WindowSettings* settings)
    : m_actions(actions), m_settings(settings) {
    connectPane(Act::ShowRuns, runs, QStringLiteral("runs"));
    connectPane(Act::ShowCards, tabs->config()->cards(), QStringLiteral("cards"));
    connectPane(Act::ShowText, tabs->config()->textPane(), QStringLiteral("text"));
    connectPane(Act::ShowLaunch, tabs->config()->launchPanel(), QStringLiteral("launch"));
    connectPane(Act::ShowStatus, tabs->status(), QStringLiteral("status"));
    (*m_actions)[Act::Notify]->setChecked(m_settings->notify);
    notifier->setEnabled(m_settings->notify);
    connect((*m_actions)[Act::Notify], &QAction::toggled, this, [this, notifier](bool wanted) {
        m_settings->notify = wanted;
        notifier->setEnabled(wanted);
    });
    connectTheme();
    connectLanguage();
}

void ViewActions::connectPane(Act act, QWidget* pane, const QString& name) {
    QAction* action = (*m_actions)[act];
    action->setChecked(!m_settings->hidden.contains(name));
    pane->setVisible(action->isChecked());
    connect(action, &QAction::toggled, this, [this, pane, name](bool on) {
        pane->setVisible(on);
        m_settings->hidden.removeAll(name);
        if (!on)
            m_settings->hidden << name;
    });
}

void ViewActions::connectTheme() {
    const auto offer = [this](Act act, Theme::Mode mode, const QString& name) {
        (*m_actions)[act]->setChecked(Theme::instance().mode() == mode);
        m_actions->on(act, this, [this, mode, name] {
            m_settings->theme = name;
            Theme::instance().apply(mode);
        });
    };
    offer(Act::ThemeSystem, Theme::Mode::System, QStringLiteral("system"));
    offer(Act::ThemeLight, Theme::Mode::Light, QStringLiteral("light"));
    offer(Act::ThemeDark, Theme::Mode::Dark, QStringLiteral("dark"));
}

void ViewActions::connectLanguage() {
    const auto offer = [this](Act act, const QString& code) {
        (*m_actions)[act]->setChecked(language() == code);
        m_actions->on(act, this, [this, code] {
            m_settings->language = code;
            setLanguage(code);
        });
    };
    offer(Act::LanguageEnglish, QStringLiteral("en"));
    offer(Act::LanguageChinese, QStringLiteral("zh"));
}

} // namespace rankscope::ui
