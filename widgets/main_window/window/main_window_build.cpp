// SPDX-License-Identifier: GPL-3.0-or-later
// What the window is made of, and what its actions do.
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/command_palette.h"
#include "widgets/main_window/actions/edit_actions.h"
#include "widgets/main_window/actions/recent_menu.h"
#include "widgets/main_window/actions/shortcuts_panel.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/help/guide_window.h"
#include "widgets/main_window/help/tour_state.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/main_window/window/window_language.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/view/run_status.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/missing_folder_notice.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs/scan/ctl_commands.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace rankscope::ui {

/// A hairline between sidebar and pages.
static QWidget* separator(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setFixedWidth(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Mid);
    return line;
}

void MainWindow::build() {
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->tabBar()->setDrawBase(true);
    m_tabs->tabBar()->setFocusPolicy(Qt::TabFocus);
    m_tabs->addTab(m_config, QString());
    m_tabs->addTab(m_review, QString());
    m_tabs->addTab(m_timeline, QString());
    m_tabs->addTab(m_incidents, QString());
    m_tabs->addTab(m_logs, QString());

    auto* column = new QVBoxLayout(m_work);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_gone);
    column->addWidget(m_banner);
    column->addWidget(m_tabs, 1);
    m_header->hide();
    m_banner->hide();
    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_work);

    auto* central = new QWidget(this);
    auto* row = new QHBoxLayout(central);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_runs);
    row->addWidget(separator(central));
    auto* pages = new QVBoxLayout;
    pages->setSpacing(0);
    pages->addWidget(m_notice);
    pages->addWidget(m_stack, 1);
    row->addLayout(pages, 1);
    setCentralWidget(central);
    m_runs->setFolded(false);
    m_tabs->setCornerWidget(m_status, Qt::TopRightCorner);
    m_header->setButtons(
        {(*m_actions)[Act::Stop], (*m_actions)[Act::StopNow], (*m_actions)[Act::Resume], (*m_actions)[Act::Relaunch]});
    m_config->setHeadingActions(
        {(*m_actions)[Act::Open], (*m_actions)[Act::Save], (*m_actions)[Act::Undo], (*m_actions)[Act::Redo]});
    buildMenus();
}

void MainWindow::buildMenus() {
    QMenuBar* bar = menuBar();
    bar->clear();
    QMenu* menu = nullptr;
    Group group = Group::Help;
    for (int i = 0; i < static_cast<int>(Act::Count); ++i) {
        const Act act = static_cast<Act>(i);
        if (!menu || Actions::group(act) != group) {
            group = Actions::group(act);
            menu = bar->addMenu(Actions::groupTitle(group));
            menu->setToolTipsVisible(false);
        }
        if (act == Act::Export || act == Act::Quit || act == Act::Search || act == Act::Stop || act == Act::ShowRuns ||
            act == Act::Notify || act == Act::ThemeSystem || act == Act::LanguageEnglish || act == Act::ZoomIn ||
            act == Act::PreviousIncident || act == Act::AllRanks || act == Act::ViewBack || act == Act::Tour ||
            act == Act::About || act == Act::CloseRun || act == Act::Save || act == Act::Cut || act == Act::Commands)
            menu->addSeparator();
        QAction* action = (*m_actions)[act];
        if (act >= Act::Solo0 && act <= Act::Solo9)
            addAction(action); // by key only: a menu of ten ranks helps nobody
        else
            menu->addAction(action);
        if (act == Act::OpenRun)
            menu->addMenu(m_recent);
    }
}

/// The focused widget's own typing comes before the page's changes.
void MainWindow::connectEditActions() {
    const auto on = [this](Act act, auto slot) { connect((*m_actions)[act], &QAction::triggered, this, slot); };
    on(Act::Undo, [this] {
        if (!m_focusEdit->undo())
            undoStack()->undo();
    });
    on(Act::Redo, [this] {
        if (!m_focusEdit->redo())
            undoStack()->redo();
    });
    on(Act::Cut, [this] { m_focusEdit->cut(); });
    on(Act::Copy, [this] { m_focusEdit->copy(); });
    on(Act::Paste, [this] { m_focusEdit->paste(); });
    on(Act::SelectAll, [this] { m_focusEdit->selectAll(); });
    on(Act::Search, [this] { focusSearch(); });
    // what the focused widget can do is asked when somebody looks
    const auto update = [this] {
        const auto& acts = *m_actions;
        acts[Act::Undo]->setEnabled(undoStack()->canUndo() || m_focusEdit->canUndo());
        acts[Act::Redo]->setEnabled(undoStack()->canRedo() || m_focusEdit->canRedo());
        acts[Act::Cut]->setEnabled(m_focusEdit->canCut());
        acts[Act::Copy]->setEnabled(m_focusEdit->canCopy());
        acts[Act::Paste]->setEnabled(m_focusEdit->canPaste());
        acts[Act::SelectAll]->setEnabled(m_focusEdit->canSelectAll());
    };
    connect(menuBar()->actions().at(static_cast<int>(Group::Edit))->menu(), &QMenu::aboutToShow, this, update);
    connect((*m_actions)[Act::Commands], &QAction::triggered, this, [this, update] {
        update();
        m_commandsPanel->toggle();
    });
    for (auto changes : {&QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged})
        connect(m_config->file()->undoStack(), changes, this, [this] { updateActions(); });
}

void MainWindow::connectRecent() {
    m_recent->setPaths(m_settings.recentRecipes, m_settings.recentRuns);
    connect(m_recent, &RecentMenu::recipeRequested, this, &MainWindow::openConfig);
    connect(m_recent, &RecentMenu::runRequested, this, [this](const QString& dir) {
        if (openRun(dir))
            showPage(Page::Review);
    });
    connect(m_recent, &RecentMenu::clearRequested, this, [this] {
        m_settings.recentRecipes.clear();
        m_settings.recentRuns.clear();
        m_recent->setPaths({}, {});
        rememberSoon();
    });
}

void MainWindow::rememberOpened(const QString& path, bool isRun) {
    if (path.isEmpty() || isOfTour(path) || (m_tour && path.startsWith(m_tour->run)))
        return;
    rememberRecent(isRun ? m_settings.recentRuns : m_settings.recentRecipes, path);
    m_recent->setPaths(m_settings.recentRecipes, m_settings.recentRuns);
}

void MainWindow::connectFileActions() {
    const auto on = [this](Act act, auto slot) { connect((*m_actions)[act], &QAction::triggered, this, slot); };
    on(Act::Open, [this] { chooseRecipe(); });
    on(Act::OpenRun, [this] { chooseRun(); });
    on(Act::Save, [this] { m_config->save(); });
    on(Act::SaveAs, [this] { m_config->saveAs(); });
    on(Act::Export, [this] { exportPlots(); });
    on(Act::ExportRun, [this] { exportRun(); });
    on(Act::ImportRun, [this] { importRun({}, false); });
    on(Act::Quit, [this] { close(); });
    on(Act::CloseRun, [this] {
        endTour();
        closeRun();
        if (!m_config->file()->isOpen())
            m_stack->setCurrentWidget(m_welcome); // nothing is open
    });
    on(Act::Shortcuts, [this] { m_keys->toggle(); });
    on(Act::About, [this] { showAbout(); });
    on(Act::Guide, [this] { showGuide(); });
    (*m_actions)[Act::Guide]->setEnabled(!findGuide().isEmpty());
}

void MainWindow::connectRunActions() {
    const auto on = [this](Act act, auto slot) { connect((*m_actions)[act], &QAction::triggered, this, slot); };
    const auto stop = [this](const QString& dir, bool now) {
        if (m_session && dir == QString::fromStdString(m_session->run().dir.string()))
            m_stopAsked = true;
        m_commands->stop(dir, now);
        updateActions();
    };
    on(Act::Launch, [this] {
        // nothing is launched that is not seen
        if (m_stack->currentWidget() == m_work && page() == Page::Configure)
            return m_config->launch();
        showWork();
        showPage(Page::Configure);
        m_config->offerLaunch();
    });
    on(Act::Stop, [this, stop] {
        if (m_session)
            stop(QString::fromStdString(m_session->run().dir.string()), false);
    });
    on(Act::StopNow, [this, stop] {
        if (m_session)
            stop(QString::fromStdString(m_session->run().dir.string()), true);
    });
    on(Act::Resume, [this] {
        if (m_session)
            resume(QString::fromStdString(m_session->run().dir.string()));
    });
    on(Act::Relaunch, [this] {
        if (m_session)
            relaunch(QString::fromStdString(m_session->run().dir.string()));
    });
    connect(m_commands, &RunCommands::message, this, &MainWindow::say);
    connect(m_commands, &RunCommands::failed, this, [this](const QString& problem) { complain(problem); });
    connect(m_runs, &RunsPanel::stopRequested, this, stop);
    connect(m_runs, &RunsPanel::openRequested, this, [this](const QString& dir) {
        if (openRun(dir) && page() == Page::Configure)
            showPage(Page::Review);
    });
    connect(m_runs, &RunsPanel::relaunchRequested, this, [this](const QString& dir) { relaunch(dir); });
    connect(m_runs, &RunsPanel::message, this, &MainWindow::say);
    connect(m_runs, &RunsPanel::failed, this, [this](const QString& problem) { complain(problem); });
    connect(m_runs, &RunsPanel::removed, this, [this](const QString& dir) {
        if (m_session && dir == QString::fromStdString(m_session->run().dir.string()))
            closeRun();
    });
    connect(m_runs, &RunsPanel::foldRequested, this, [this](bool folded) {
        m_userFold = folded;
        foldByWidth();
    });
    connect(m_config, &ConfigPage::launched, this, &MainWindow::runLaunched);
    connect(m_header, &HeaderBar::runRequested, this, &MainWindow::openRun);
}

void MainWindow::setPane(Act act, QWidget* pane, const QString& name) {
    QAction* action = (*m_actions)[act];
    action->setChecked(!m_settings.hidden.contains(name));
    pane->setVisible(action->isChecked());
    connect(action, &QAction::toggled, this, [this, pane, name](bool on) {
        pane->setVisible(on);
        m_settings.hidden.removeAll(name);
        if (!on)
            m_settings.hidden << name;
    });
}

void MainWindow::connectViewActions() {
    const auto on = [this](Act act, auto slot) { connect((*m_actions)[act], &QAction::triggered, this, slot); };
    on(Act::PageConfigure, [this] { showWork(), showPage(Page::Configure); });
    on(Act::PageReview, [this] { showWork(), showPage(Page::Review); });
    on(Act::PageTimeline, [this] { showWork(), showPage(Page::Timeline); });
    on(Act::PageIncidents, [this] { showWork(), showPage(Page::Incidents); });
    on(Act::PageLogs, [this] { showWork(), showPage(Page::Logs); });
    setPane(Act::ShowRuns, m_runs, QStringLiteral("runs"));
    setPane(Act::ShowCards, m_config->cards(), QStringLiteral("cards"));
    setPane(Act::ShowText, m_config->textPane(), QStringLiteral("text"));
    setPane(Act::ShowLaunch, m_config->launchPanel(), QStringLiteral("launch"));
    setPane(Act::ShowStatus, m_status, QStringLiteral("status"));
    (*m_actions)[Act::Notify]->setChecked(m_settings.notify);
    m_notifier->setEnabled(m_settings.notify);
    connect((*m_actions)[Act::Notify], &QAction::toggled, this, [this](bool wanted) {
        m_settings.notify = wanted;
        m_notifier->setEnabled(wanted);
    });
    on(Act::ThemeSystem, [this] { setThemeMode(QStringLiteral("system")); });
    on(Act::ThemeLight, [this] { setThemeMode(QStringLiteral("light")); });
    on(Act::ThemeDark, [this] { setThemeMode(QStringLiteral("dark")); });
    on(Act::LanguageEnglish, [this] { setLanguageCode(QStringLiteral("en")); });
    on(Act::LanguageChinese, [this] { setLanguageCode(QStringLiteral("zh")); });
}

void MainWindow::connectPlotActions() {
    struct Switch {
        Act act;
        bool WindowSettings::*kept;
        void (ReviewPage::*set)(bool);
        bool (ReviewPage::*get)() const;
    };
    static constexpr Switch switches[] = {
        {Act::LogScale, &WindowSettings::logScale, &ReviewPage::setLogScale, &ReviewPage::logScale},
        {Act::Smoothing, &WindowSettings::smoothing, &ReviewPage::setSmoothing, &ReviewPage::smoothing},
    };
    static constexpr std::pair<Act, CurveAxis> axes[] = {
        {Act::StepAxis, CurveAxis::Step}, {Act::TimeAxis, CurveAxis::Time}, {Act::SampleAxis, CurveAxis::SampleCount}};
    const auto show = [this] { // the page has switches of its own
        for (const auto& [act, axis] : axes)
            (*m_actions)[act]->setChecked(m_review->axis() == axis);
        for (const Switch& one : switches) {
            m_settings.*one.kept = (m_review->*one.get)();
            (*m_actions)[one.act]->setChecked(m_settings.*one.kept);
        }
        updateActions();
    };
    for (const Switch& one : switches)
        (m_review->*one.set)(m_settings.*one.kept);
    for (const Switch& one : switches) {
        (*m_actions)[one.act]->setChecked(m_settings.*one.kept);
        connect((*m_actions)[one.act], &QAction::triggered, m_review, one.set);
    }
    for (const auto& [act, axis] : axes)
        connect((*m_actions)[act], &QAction::triggered, m_review, [this, axis = axis] { m_review->setAxis(axis); });
    connect(m_review, &ReviewPage::switchesChanged, this, show);
    show();
    const auto on = [this](Act act, void (ReviewPage::*slot)()) {
        connect((*m_actions)[act], &QAction::triggered, m_review, slot);
    };
    on(Act::NextAxis, &ReviewPage::nextAxis);
    on(Act::ViewBack, &ReviewPage::goBack);
    on(Act::ViewForward, &ReviewPage::goForward);
    on(Act::Annotate, &ReviewPage::annotate);
    connect((*m_actions)[Act::AllRanks], &QAction::triggered, this, [this] { solo(-1); });
    for (int rank = 0; rank <= 9; ++rank)
        connect(m_actions->solo(rank), &QAction::triggered, this, [this, rank] { solo(rank); });
}

void MainWindow::connectPages() {
    connect(m_welcome, &WelcomePage::quickstartRequested, this, [this] { openConfig(findQuickstart()); });
    connect(m_welcome, &WelcomePage::openRequested, this, [this] { chooseRecipe(); });
    connect(m_welcome, &WelcomePage::openRunRequested, this, [this] { chooseRun(); });
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] { updateActions(); });
    connect(m_config, &ConfigPage::message, this, &MainWindow::say);
    connect(m_config, &ConfigPage::relaunchRequested, this, [this](const QString& dir) { relaunch(dir); });
    connect(m_config, &ConfigPage::runDropped, this, &MainWindow::openDropped);
    connect(m_config, &ConfigPage::titleChanged, this, [this] {
        retranslate();
        updateActions();
    });
    connect(m_config->file(), &ConfigFile::opened, this, [this] {
        m_settings.lastConfig = m_config->file()->path();
        rememberOpened(m_settings.lastConfig, false);
        showWork();
    });
    connect(m_config, &ConfigPage::causeRequested, this, [this](const QString& cause) {
        showPage(Page::Incidents);
        m_incidents->selectCause(cause);
    });
    connect(m_review, &ReviewPage::message, this, &MainWindow::say);
    connect(m_review, &ReviewPage::failed, this, [this](const QString& problem) { complain(problem); });
    connect(m_review, &ReviewPage::logRequested, this, [this](int rank, qint64 timeNs) {
        showPage(Page::Logs);
        m_logs->showRank(rank);
        m_logs->showTime(timeNs);
    });
    const auto remedy = [this](const QString& key, const QString& value) {
        if (m_session)
            relaunch(QString::fromStdString(m_session->run().dir.string()), key, value);
    };
    connect(m_banner, &IncidentBanner::remedyRequested, this, remedy);
    connect(m_incidents, &IncidentPage::remedyRequested, this, remedy);
    connect(m_banner, &IncidentBanner::detailRequested, this, [this](qint64 id) {
        showPage(Page::Incidents);
        m_incidents->select(id);
    });
    connect(m_incidents, &IncidentPage::jumpRequested, this, [this](qint64 step) {
        showPage(Page::Review);
        m_review->showStep(step);
    });
    connect(m_review, &ReviewPage::incidentSelected, this, [this](qint64 id) {
        showPage(Page::Incidents);
        m_incidents->select(id);
    });
}

void MainWindow::retranslate() {
    m_actions->retranslate();
    m_recent->retranslate();
    int at = 0;
    for (Group group : {Group::File, Group::Edit, Group::Run, Group::View, Group::Plots, Group::Help})
        if (at < menuBar()->actions().size())
            menuBar()->actions().at(at++)->setText(Actions::groupTitle(group));
    showTitles();
}

void MainWindow::showTitles() {
    const RunView* view = m_session ? &m_session->view() : nullptr;
    const bool live = view && launch::isLive(view->info.state);
    const int incidents = view ? static_cast<int>(view->incidents.size()) : 0;
    const bool dirty = m_config->file()->hasUnsavedEdits();
    const auto title = [this](int tab, const QString& text) { // each change lays the tabs out again
        if (m_tabs->tabText(tab) != text)
            m_tabs->setTabText(tab, text);
    };
    title(0, dirty ? tr("Configure •") : tr("Configure"));
    title(1, live ? tr("Live") : tr("Review"));
    title(2, tr("Timeline"));
    title(3, incidents ? tr("Incidents (%1)").arg(incidents) : tr("Incidents"));
    title(4, tr("Logs"));
    title(static_cast<int>(Page::Runs), tr("Runs"));
    fitStatusLine(); // no tab gives way to a message
    QString windowTitle = QStringLiteral("Rankscope");
    if (view && !view->info.name.empty())
        windowTitle = tr("%1 – Rankscope").arg(QString::fromStdString(view->info.name));
    // the task bar and the list of windows say it, too; without the time, which would change the title each second
    if (const RunNow now = view ? RunNow::of(view->info, view->incidents, view->behindSinceNs()) : RunNow();
        now.isStalled())
        windowTitle = tr("Stalled, %1 – %2", "which ranks, title").arg(ranksText(now.stalled), windowTitle);
    else if (m_config->file()->isOpen())
        windowTitle = tr("%1 – Rankscope").arg(m_config->file()->title());
    setWindowTitle(windowTitle);
}

} // namespace rankscope::ui
