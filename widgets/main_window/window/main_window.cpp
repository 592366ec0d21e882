// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/main_window.h"

#include "core/base/files/paths.h"
#include "core/base/process/heap_trim.h"
#include "core/base/process/libtorch_location.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/drop_hint.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/controls/box_layout.h"
#include "widgets/explain/explain_page.h"
#include "widgets/incidents/banner_row.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/command_palette.h"
#include "widgets/main_window/actions/edit_actions.h"
#include "widgets/main_window/actions/recent_menu.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/sidebar_fold.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/control/ending_actions.h"
#include "widgets/main_window/control/exchange_actions.h"
#include "widgets/main_window/control/known_runs.h"
#include "widgets/main_window/control/plot_actions.h"
#include "widgets/main_window/control/run_actions.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/control/tour_guide.h"
#include "widgets/main_window/exchange/dropped_files.h"
#include "widgets/main_window/help/installed_files.h"
#include "widgets/main_window/window/close_questions.h"
#include "widgets/main_window/window/help_actions.h"
#include "widgets/main_window/window/navigator.h"
#include "widgets/main_window/window/open_run_display.h"
#include "widgets/main_window/window/window_memory.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/annotations/annotation_controller.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/missing_folder_notice.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/runs/commands/ctl_commands.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QThreadPool>
#include <QUndoStack>
#include <QUrl>

#include <utility>

namespace rankscope::ui {

static constexpr int kGiveBackMs = 60'000;
static constexpr QSize kUsualFrame(16, 48);

static QString withDefault(const QString& runsDir) {
    if (!runsDir.isEmpty())
        return runsDir;
    const auto dir = defaultRunsDir();
    return dir ? QString::fromStdString(dir->string()) : QString();
}

MainWindow::MainWindow(WindowOptions options, QWidget* parent)
    : QMainWindow(parent), m_options(std::move(options)),
      m_settings(m_options.remember ? WindowSettings::load() : WindowSettings()), m_actions(new Actions(this)),
      m_commands(new CtlCommands(this)), m_runs(new RunsPanel(this)), m_fold(new SidebarFold(m_runs)),
      m_header(new HeaderBar(this)), m_banner(new BannerRow(this)), m_gone(new MissingFolderNotice(this)),
      m_tabs(new PageTabs(this)), m_welcome(new WelcomePage(this)), m_stack(new QStackedWidget(this)),
      m_focusEdit(new FocusEdit(this)), m_recent(new RecentMenu(this)), m_notifier(new Notifier(this)),
      m_notice(new NoticeStrip(this)), m_work(new QWidget(this)) {
    setWindowIcon(QIcon(QStringLiteral(":/icons/rankscope.svg")));
    setAcceptDrops(true);
    setMinimumSize(800, 500);
    m_options.runsDir = withDefault(m_options.runsDir);
    build();
    m_help = std::make_unique<HelpActions>(m_actions, m_notice, this);
    m_commandsPanel = new CommandPalette(m_actions, this);
    m_opener = std::make_unique<RunOpener>(m_options.runsDir, m_notice);
    m_tour = std::make_unique<TourGuide>(m_opener.get(), m_tabs, m_banner->banner(), m_notice, this);
    m_runActions = std::make_unique<RunActions>(m_actions, m_opener.get(), m_tabs, m_notice, m_commands, &m_settings,
                                                m_options.runsDir);
    m_exchange =
        std::make_unique<ExchangeActions>(m_actions, m_opener.get(), m_tabs, m_commands, m_options.runsDir, this);
    m_ending = std::make_unique<EndingActions>(m_actions, m_opener.get(), m_tabs, m_gone);
    m_plots = std::make_unique<PlotActions>(m_actions, m_opener.get(), m_tabs, &m_settings);
    connectViewActions(m_actions, m_tabs, m_runs, m_notifier, &m_settings);
    m_memory = std::make_unique<WindowMemory>(m_options.remember, &m_settings, this, m_tabs, m_recent, m_tour.get());
    m_known = std::make_unique<KnownRuns>(m_opener.get(), m_runs, m_tabs, m_notifier, m_notice);
    m_navigator = std::make_unique<Navigator>(Navigator::Parts{.window = this,
                                                               .stack = m_stack,
                                                               .welcome = m_welcome,
                                                               .pages = m_work,
                                                               .tabs = m_tabs,
                                                               .opener = m_opener.get(),
                                                               .exchange = m_exchange.get(),
                                                               .tour = m_tour.get(),
                                                               .notices = m_notice,
                                                               .memory = m_memory.get()},
                                              m_options.runsDir);
    m_navigator->connectActions(m_actions);
    m_display = std::make_unique<OpenRunDisplay>(OpenRunDisplay::Parts{.window = this,
                                                                       .settings = &m_settings,
                                                                       .header = m_header,
                                                                       .banner = m_banner,
                                                                       .runs = m_runs,
                                                                       .tabs = m_tabs,
                                                                       .notifier = m_notifier,
                                                                       .opener = m_opener.get(),
                                                                       .actions = m_runActions.get(),
                                                                       .ending = m_ending.get(),
                                                                       .known = m_known.get(),
                                                                       .tour = m_tour.get(),
                                                                       .memory = m_memory.get(),
                                                                       .navigator = m_navigator.get()});
    connectMenus();
    connectPages();
    connectRuns();
    connectTour();
    m_tabs->config()->launchPanel()->setDefaultRunsDir(m_options.runsDir);
    resize(1440, 900);
    if (const QScreen* on = screen(); on && m_options.remember) // the frame is not known yet, see WindowMemory
        resize(size().boundedTo(on->availableGeometry().size() - kUsualFrame));
    m_memory->restoreLayout();
    retranslate();
    updateActions();
}

MainWindow::~MainWindow() {
    // signals emitted during destruction must not reach a partly destroyed window
    ConfigFile* file = m_tabs->config()->file();
    for (QObject* child : std::initializer_list<QObject*>{
             m_tabs, m_tabs->config(), file, file->undoStack(), m_tabs->review(), m_tabs->timeline(), m_tabs->runs(),
             m_tabs->runs()->undoStack(), m_tabs->review()->annotations()->undoStack()})
        child->disconnect(this);
    m_display.reset();
    m_tabs->setSession(nullptr); // pages release the session before it is destroyed
}

/// Returns a hairline between sidebar and pages.
static QWidget* separator(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setFixedWidth(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Mid);
    return line;
}

void MainWindow::build() {
    auto* column = filledBox(new QVBoxLayout(m_work), {}, 0, {m_header, m_gone, m_banner});
    column->addWidget(m_tabs, 1);
    m_header->hide();
    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_work);

    auto* central = new QWidget(this);
    auto* row = filledBox(new QHBoxLayout(central), {}, 0, {m_runs});
    row->addWidget(separator(central));
    auto* pages = new QVBoxLayout;
    pages->setSpacing(0);
    pages->addWidget(m_notice);
    pages->addWidget(m_stack, 1);
    row->addLayout(pages, 1);
    setCentralWidget(central);
    const auto dropText = [](const QDropEvent* drag) {
        return drag->source() ? QString() : DroppedFiles::of(drag->mimeData()).hint();
    };
    (new DropHint(central, dropText))->watch(this);
    m_runs->setFolded(false);
    const auto& acts = *m_actions;
    m_header->setButtons(
        {acts[ActionId::Stop], acts[ActionId::StopNow], acts[ActionId::Resume], acts[ActionId::Relaunch]},
        {acts[ActionId::Resume], acts[ActionId::Relaunch]});
    m_tabs->config()->setHeadingActions(
        {acts[ActionId::Open], acts[ActionId::Save], acts[ActionId::Undo], acts[ActionId::Redo]});
    m_actions->fillMenuBar(menuBar(), m_recent);
}

void MainWindow::start() {
    m_known->start(m_options.runsDir, m_options.remember);
    const QString quickstart = findQuickstart();
    m_welcome->setQuickstart(quickstart, hasSampleSpeech(quickstart) && findTrainer());
    // a window that is open all day must return memory that it no longer uses
    auto* memory = new QTimer(this);
    connect(memory, &QTimer::timeout, [] { QThreadPool::globalInstance()->start(trimHeap); });
    memory->start(kGiveBackMs);

    openAtStart(m_options, m_settings, m_tabs, m_navigator.get());
}

bool MainWindow::isComplete() const {
    if (!m_known->isStarted())
        return false;
    const ConfigPage* config = m_tabs->config();
    if (page() == Page::Configure)
        return !m_navigator->showsPages() || (config->showsRun() && config->isComplete()) ||
               (!config->showsRun() && !config->file()->isOpen()) || (config->isComplete() && !config->isPlanning());
    if (m_tabs->isAboutOneRun() && session() && session()->view().nowNs == 0)
        return false;
    return m_tabs->isPageComplete();
}

QString MainWindow::problem() const {
    return m_navigator->problem();
}

bool MainWindow::openRun(const QString& dir) {
    return m_navigator->openRun(dir);
}

void MainWindow::openConfig(const QString& path) {
    m_navigator->openConfig(path);
}

RunSession* MainWindow::session() const {
    return m_opener->session();
}

void MainWindow::connectMenus() {
    m_actions->on(ActionId::Save, this, [this] { m_tabs->config()->save(); });
    m_actions->on(ActionId::SaveAs, this, [this] { m_tabs->config()->saveAs(); });
    m_actions->on(ActionId::Quit, this, [this] { close(); });
    m_actions->on(ActionId::CloseRun, this, [this] {
        m_tour->end();
        m_opener->close();
        if (!m_tabs->config()->file()->isOpen() && page() != Page::Explain)
            m_navigator->showWelcome(); // nothing is open
    });
    m_actions->on(ActionId::Search, this, [this] { focusSearch(); });
    m_actions->on(ActionId::Commands, this, [this] {
        m_focusEdit->updateActions();
        m_commandsPanel->toggle();
    });
    m_focusEdit->connectActions(m_actions, menuBar()->actions().at(static_cast<int>(ActionGroup::Edit))->menu(),
                                [this] { return undoStack(); });
    for (const QUndoStack* stack : {m_tabs->config()->file()->undoStack(), m_tabs->runs()->undoStack(),
                                    m_tabs->review()->annotations()->undoStack()})
        for (auto changes : {&QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged})
            connect(stack, changes, this, &MainWindow::updateActions);
    connect(m_recent, &RecentMenu::recipeRequested, m_navigator.get(), &Navigator::openConfig);
    connect(m_recent, &RecentMenu::runRequested, m_navigator.get(), &Navigator::openInReview);
}

void MainWindow::connectPages() {
    const auto complain = [this](const QString& problem) { m_notice->showError(problem); };
    ConfigPage* config = m_tabs->config();
    connect(m_welcome, &WelcomePage::watchRequested, m_runActions.get(), [this] { m_runActions->watch(); });
    connect(m_welcome, &WelcomePage::importRequested, this, [this] { m_exchange->importRun({}, false); });
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::updateActions);
    connect(config, &ConfigPage::relaunchRequested, this, [this](const QString& dir) { m_navigator->relaunch(dir); });
    connect(config, &ConfigPage::watchRequested, m_runActions.get(), &RunActions::watch);
    connect(config, &ConfigPage::launched, this, &MainWindow::runLaunched);
    connect(config, &ConfigPage::titleChanged, this, [this, config] {
        m_tabs->explain()->setOpenRecipe(config->file()->path());
        retranslate();
        updateActions();
    });
    connect(config->file(), &ConfigFile::opened, this, [this] {
        m_settings.lastConfig = m_tabs->config()->file()->path();
        m_memory->noteOpened(m_settings.lastConfig, false);
        m_navigator->showPages();
    });
    connect(m_tabs->review(), &ReviewPage::failed, this, complain);
    connect(m_tabs->timeline(), &TimelinePage::failed, this, complain);
    connect(m_tabs->runs(), &RunsPage::failed, this, complain);
    connect(m_runs, &RunsPanel::failed, this, complain);
    connect(m_runs, &RunsPanel::message, m_tabs, &PageTabs::showStatus);
    connect(m_banner->banner(), &IncidentBanner::detailRequested, m_tabs, &PageTabs::showIncident);
    const auto remedy = [this](const QString& key, const QString& value) {
        if (session())
            m_navigator->relaunch(m_opener->dir(), key, value);
    };
    connect(m_banner->banner(), &IncidentBanner::remedyRequested, this, remedy);
    connect(m_tabs->incidents(), &IncidentPage::remedyRequested, this, remedy);
}

void MainWindow::connectRuns() {
    const auto relaunchOpen = [this] {
        if (session())
            m_navigator->relaunch(m_opener->dir());
    };
    const auto closeRemoved = [this](const QString& dir) {
        if (dir == m_opener->dir())
            m_opener->close();
    };
    connect(m_display.get(), &OpenRunDisplay::changed, this, &MainWindow::updateActions);
    connect(m_display.get(), &OpenRunDisplay::closed, this, &MainWindow::retranslate);
    connect(m_header, &HeaderBar::runRequested, this, &MainWindow::openRun);
    connect(m_runActions.get(), &RunActions::actionsChanged, this, &MainWindow::updateActions);
    connect(m_runActions.get(), &RunActions::launched, this, &MainWindow::runLaunched);
    connect(m_known.get(), &KnownRuns::ended, m_runActions.get(), &RunActions::clearStopMessages);
    connect(m_exchange.get(), &ExchangeActions::imported, this, [this](const QString& dir) {
        m_known->refresh();
        m_navigator->openInReview(dir);
    });
    m_actions->on(ActionId::Launch, this, [this] {
        // launch only what is visible
        if (m_navigator->showsPages() && page() == Page::Configure)
            return m_tabs->config()->launch();
        m_navigator->showPage(Page::Configure);
        m_tabs->config()->offerLaunch();
    });
    m_actions->on(ActionId::Relaunch, this, relaunchOpen);
    connect(m_tabs->review()->ending(), &RunEndController::relaunchRequested, this, relaunchOpen);
    connect(m_tabs->review()->ending(), &RunEndController::runRequested, this, &MainWindow::openRun);
    connect(m_runs, &RunsPanel::openRequested, this, [this](const QString& dir) {
        if (openRun(dir) && page() == Page::Configure)
            showPage(Page::Review);
    });
    connect(m_runs, &RunsPanel::stopRequested, m_runActions.get(), &RunActions::stop);
    connect(m_runs, &RunsPanel::relaunchRequested, this, [this](const QString& dir) { m_navigator->relaunch(dir); });
    connect(m_runs, &RunsPanel::removed, this, closeRemoved);
    connect(m_tabs->runs(), &RunsPage::openRequested, m_navigator.get(), &Navigator::openInReview);
    connect(m_tabs->runs(), &RunsPage::relaunchRequested, this,
            [this](const QString& dir) { m_navigator->relaunch(dir); });
    connect(m_tabs->runs(), &RunsPage::removed, this, closeRemoved);
    connect(m_notifier, &Notifier::openRequested, this, [this](const QString& dir) {
        openRun(dir);
        showPage(Page::Review);
        setWindowState(windowState() & ~Qt::WindowMinimized);
        raise();
        activateWindow();
    });
}

void MainWindow::connectTour() {
    m_actions->on(ActionId::Tour, this, [this] { m_tour->start(); });
    m_actions->on(ActionId::Welcome, this, [this] {
        m_tour->end();
        m_navigator->showWelcome();
    });
    connect(m_welcome, &WelcomePage::tourRequested, m_tour.get(), &TourGuide::start);
    connect(m_tour.get(), &TourGuide::runRequested, this, &MainWindow::openRun);
    connect(m_tour.get(), &TourGuide::configRequested, this, &MainWindow::openConfig);
    connect(m_tour.get(), &TourGuide::lastStepReached, this, [this] {
        m_settings.tourDone = true;
        m_welcome->setTour(true, true);
    });
    const bool there = !findTour().isEmpty();
    (*m_actions)[ActionId::Tour]->setEnabled(there);
    m_welcome->setTour(there, m_settings.tourDone);
}

void MainWindow::updateActions() {
    const auto& acts = *m_actions;
    const bool run = session() && session()->view().goneRealtimeNs == 0;
    acts[ActionId::CloseRun]->setEnabled(session() != nullptr);
    acts[ActionId::Export]->setEnabled(run || page() == Page::Runs);
    acts[ActionId::ExportRun]->setEnabled(run);
    const ConfigFile& file = *m_tabs->config()->file();
    acts[ActionId::Launch]->setEnabled(file.isOpen());
    acts[ActionId::Save]->setEnabled(file.isDirty());
    acts[ActionId::SaveAs]->setEnabled(file.isOpen());
    acts[ActionId::Undo]->setEnabled(undoStack()->canUndo());
    acts[ActionId::Redo]->setEnabled(undoStack()->canRedo());
    m_runActions->updateActions();
    m_plots->updateActions();
}

void MainWindow::runLaunched(const QString& dir) {
    m_tabs->showStatus(tr("Launched %1").arg(QFileInfo(dir).fileName()));
    m_known->refresh();
    m_navigator->openInReview(dir);
}

QUndoStack* MainWindow::undoStack() const {
    const bool pages = m_navigator->showsPages();
    if (pages && page() == Page::Runs)
        return m_tabs->runs()->undoStack();
    return pages && page() == Page::Review ? m_tabs->review()->annotations()->undoStack()
                                           : m_tabs->config()->file()->undoStack();
}

void MainWindow::focusSearch() {
    if (m_navigator->showsPages() && m_tabs->focusSearch())
        return;
    (*m_actions)[ActionId::ShowRuns]->setChecked(true);
    m_fold->unfold();
    m_runs->focusSearch();
}

void MainWindow::retranslate() {
    m_actions->retranslate();
    m_recent->retranslate();
    for (const ActionGroup group : {ActionGroup::File, ActionGroup::Edit, ActionGroup::Run, ActionGroup::View,
                                    ActionGroup::Plots, ActionGroup::Help})
        menuBar()->actions().at(static_cast<int>(group))->setText(Actions::groupTitle(group));
    m_display->showTitles();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    m_memory->windowShown();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    QTimer::singleShot(0, m_tabs, &PageTabs::fitStatusLine); // after the tabs have their width
    m_fold->setWindowWidth(width());
    m_tour->place();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_options.remember && !confirmClose(session(), m_tabs->config(), &m_settings.quitTold, this)) {
        event->ignore();
        return;
    }
    m_memory->write();
    m_tabs->config()->file()->dropDraft(); // a closed window has nothing open
    event->accept();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && m_display) {
        m_tabs->status()->clearMessage(); // the message is in the previous language
        retranslate();
        updateActions(); // some have texts that depend on the run
        m_header->retranslate();
        m_tour->showStep();
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    // dropping a row of our own table on the window opens nothing
    if (!event->source() && DroppedFiles::of(event->mimeData()).use != DroppedFiles::DropUse::Nothing)
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    m_navigator->openDropped(DroppedFiles::of(event->mimeData()));
}

} // namespace rankscope::ui
