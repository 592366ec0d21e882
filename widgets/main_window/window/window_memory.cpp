// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/window_memory.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/recent_menu.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/tour_guide.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/theme/theme.h"

#include <QMainWindow>
#include <QScreen>
#include <QWindow>

#include <algorithm>

namespace rankscope::ui {

static void connectPane(Actions* actions, ActionId act, QWidget* pane, const QString& name, WindowSettings* settings) {
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

static void connectTheme(Actions* actions, ActionId act, Theme::Mode mode, const QString& name,
                         WindowSettings* settings) {
    (*actions)[act]->setChecked(Theme::instance().mode() == mode);
    actions->on(act, actions, [mode, name, settings] {
        settings->theme = name;
        Theme::instance().apply(mode);
    });
}

static void connectLanguage(Actions* actions, ActionId act, const QString& code, WindowSettings* settings) {
    (*actions)[act]->setChecked(language() == code);
    actions->on(act, actions, [code, settings] {
        settings->language = code;
        setLanguage(code);
    });
}

void connectViewActions(Actions* actions, PageTabs* tabs, RunsPanel* runs, Notifier* notifier,
                        WindowSettings* settings) {
    connectPane(actions, ActionId::ShowRuns, runs, QStringLiteral("runs"), settings);
    connectPane(actions, ActionId::ShowCards, tabs->config()->cards(), QStringLiteral("cards"), settings);
    connectPane(actions, ActionId::ShowText, tabs->config()->textPane(), QStringLiteral("text"), settings);
    connectPane(actions, ActionId::ShowLaunch, tabs->config()->launchPanel(), QStringLiteral("launch"), settings);
    connectPane(actions, ActionId::ShowStatus, tabs->status(), QStringLiteral("status"), settings);
    QAction* notify = (*actions)[ActionId::Notify];
    notify->setChecked(settings->notify);
    notifier->setEnabled(settings->notify);
    QObject::connect(notify, &QAction::toggled, notifier, [notifier, settings](bool wanted) {
        settings->notify = wanted;
        notifier->setEnabled(wanted);
    });
    connectTheme(actions, ActionId::ThemeSystem, Theme::Mode::System, QStringLiteral("system"), settings);
    connectTheme(actions, ActionId::ThemeLight, Theme::Mode::Light, QStringLiteral("light"), settings);
    connectTheme(actions, ActionId::ThemeDark, Theme::Mode::Dark, QStringLiteral("dark"), settings);
    connectLanguage(actions, ActionId::LanguageEnglish, QStringLiteral("en"), settings);
    connectLanguage(actions, ActionId::LanguageChinese, QStringLiteral("zh"), settings);
}

QRect fittedClient(const QRect& client, const QMargins& frame, const QRect& available) {
    const QRect room = available.marginsRemoved(frame);
    QRect fitted(client.topLeft(), client.size().boundedTo(room.size()));
    fitted.moveLeft(std::clamp(fitted.left(), room.left(), std::max(room.left(), room.right() - fitted.width() + 1)));
    fitted.moveTop(std::clamp(fitted.top(), room.top(), std::max(room.top(), room.bottom() - fitted.height() + 1)));
    return fitted;
}

static constexpr int kWriteMs = 2000; ///< after the last change
static constexpr int kFrameMs = 250;  ///< until a window manager has put its frame around the window

WindowMemory::WindowMemory(bool enabled, WindowSettings* settings, QMainWindow* window, PageTabs* tabs,
                           RecentMenu* recent, const TourGuide* tour)
    : m_enabled(enabled), m_settings(settings), m_written(*settings), m_window(window), m_tabs(tabs), m_recent(recent),
      m_tour(tour) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(kWriteMs);
    connect(&m_timer, &QTimer::timeout, this, &WindowMemory::write);
    connect(m_tabs, &QTabWidget::currentChanged, this, &WindowMemory::writeSoon);
    m_recent->setPaths(m_settings->recentRecipes, m_settings->recentRuns);
    connect(m_recent, &RecentMenu::clearRequested, this, [this] {
        m_settings->recentRecipes.clear();
        m_settings->recentRuns.clear();
        m_settings->recentCommands.clear();
        m_recent->setPaths({}, {});
        writeSoon();
    });
}

void WindowMemory::restoreLayout() {
    if (!m_settings->geometry.isEmpty())
        m_window->restoreGeometry(m_settings->geometry);
    if (!m_settings->review.isEmpty())
        m_tabs->review()->restoreLayout(m_settings->review);
    if (!m_settings->config.isEmpty())
        m_tabs->config()->restoreLayout(m_settings->config);
    if (!m_settings->runs.isEmpty())
        m_tabs->runs()->restoreLayout(m_settings->runs);
    m_tabs->config()->launchPanel()->nemo()->setPython(m_settings->nemoPython);
}

void WindowMemory::windowShown() {
    if (m_fitted || !m_enabled) // a screenshot keeps the requested size
        return;
    m_fitted = true;
    for (const int ms : {0, kFrameMs})
        QTimer::singleShot(ms, this, &WindowMemory::fitToScreen);
}

void WindowMemory::fitToScreen() {
    if (!m_window->screen() || m_window->isMaximized() || m_window->isFullScreen())
        return;
    const QMargins frame = m_window->windowHandle() ? m_window->windowHandle()->frameMargins() : QMargins();
    const QRect fitted = fittedClient(m_window->geometry(), frame, m_window->screen()->availableGeometry());
    if (fitted != m_window->geometry())
        m_window->setGeometry(fitted);
}

void WindowMemory::write() {
    if (!m_enabled)
        return;
    m_settings->geometry = m_window->saveGeometry();
    m_settings->review = m_tabs->review()->saveLayout();
    m_settings->config = m_tabs->config()->saveLayout();
    m_settings->runs = m_tabs->runs()->saveLayout();
    m_settings->lastConfig = m_tabs->config()->file()->path();
    m_settings->nemoPython = m_tabs->config()->launchPanel()->nemo()->python();
    m_tour->keepFormer(m_settings->lastRun, m_settings->lastConfig); // the recording is removed with the window
    m_settings->page = static_cast<int>(m_tabs->page());
    if (*m_settings != m_written)
        m_settings->store();
    m_written = *m_settings;
}

void WindowMemory::writeSoon() {
    m_timer.start();
}

void WindowMemory::noteOpened(const QString& path, bool isRun) {
    if (path.isEmpty() || m_tour->isRecording(path))
        return;
    rememberRecent(isRun ? m_settings->recentRuns : m_settings->recentRecipes, path);
    m_recent->setPaths(m_settings->recentRecipes, m_settings->recentRuns);
    writeSoon();
}

} // namespace rankscope::ui
