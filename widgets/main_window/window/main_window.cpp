// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/main_window.h"

#include "core/base/process/heap_trim.h"
#include "core/base/files/paths.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/launch/plan_request.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/run_end/missing_folder_notice.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/command_palette.h"
#include "widgets/main_window/actions/edit_actions.h"
#include "widgets/main_window/help/guide_window.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/exchange/import_panel.h"
#include "widgets/main_window/window/window_language.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/actions/recent_menu.h"
#include "widgets/main_window/actions/shortcuts_panel.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/help/tour_state.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/window/window_placement.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs/scan/ctl_commands.h"
#include "widgets/runs/scan/run_lister.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QTimer>
#include <QUrl>
#include <QWindow>

namespace rankscope::ui {

static constexpr int kGiveBackMs = 60'000;
static constexpr int kFoldBelow = 1100;
static constexpr QSize kUsualFrame(16, 48);
static constexpr int kFrameMs = 250; ///< until a window manager has put its frame around the window
static constexpr int kSaidMs = 15'000;
static constexpr int kTabsGap = 16; ///< between the tabs and what is said beside them

MainWindow::MainWindow(WindowOptions options, QWidget* parent)
    : QMainWindow(parent), m_options(std::move(options)),
      m_settings(m_options.remember ? WindowSettings::load() : WindowSettings()), m_actions(new Actions(this)),
      m_commands(new RunCommands(this)), m_runs(new RunsPanel(this)), m_header(new HeaderBar(this)),
      m_banner(new IncidentBanner(this)), m_gone(new GoneNotice(this)), m_tabs(new QTabWidget(this)),
      m_config(new ConfigPage(this)), m_review(new ReviewPage(this)), m_timeline(new TimelinePage(this)),
      m_incidents(new IncidentPage(this)), m_logs(new LogPage(this)), m_runsPage(new RunsPage(this)),
      m_welcome(new WelcomePage(this)), m_stack(new QStackedWidget(this)), m_keys(nullptr), m_commandsPanel(nullptr),
      m_focusEdit(new FocusEdit(this)), m_recent(new RecentMenu(this)), m_notifier(new Notifier(this)),
      m_notice(new NoticeStrip(this)), m_status(new StatusLine(this)), m_work(new QWidget(this)) {
    setWindowIcon(QIcon(QStringLiteral(":/icons/rankscope.svg")));
    setAcceptDrops(true);
    setMinimumSize(800, 500);
    if (m_options.runsDir.isEmpty())
        if (const auto dir = defaultRunsDir())
            m_options.runsDir = QString::fromStdString(dir->string());
    build();
    m_keys = new ShortcutsPanel(m_actions, this);
    m_commandsPanel = new CommandPalette(m_actions, this);
    connectFileActions();
    connectEditActions();
    connectRecent();
    connectRunActions();
    connectViewActions();
    connectPlotActions();
    connectPages();
    connectEnding();
    connectTimeline();
    connectRuns();
    connectTour();
    m_config->launchPanel()->setRunsDir(m_options.runsDir);
    resize(1440, 900);
    if (const QScreen* on = screen(); on && m_options.remember) // the frame is not known yet: see fitToScreen()
        resize(size().boundedTo(on->availableGeometry().size() - kUsualFrame));
    restore();
    const Theme::Mode mode = Theme::instance().mode();
    (*m_actions)[mode == Theme::Mode::Dark    ? Act::ThemeDark
                 : mode == Theme::Mode::Light ? Act::ThemeLight
                                              : Act::ThemeSystem]
        ->setChecked(true);
    (*m_actions)[language() == QLatin1String("zh") ? Act::LanguageChinese : Act::LanguageEnglish]->setChecked(true);
    retranslate();
    updateActions();
}

MainWindow::~MainWindow() {
    m_tour.reset();
    // what still speaks while it is taken apart must not reach a window that is no longer whole
    for (QObject* child :
         std::initializer_list<QObject*>{m_config, m_config->file(), m_config->file()->undoStack(), m_tabs, m_review,
                                         m_timeline, m_runsPage, m_runsPage->undoStack()})
        child->disconnect(this);
    // pages let go of the session before it goes
    m_review->setSession(nullptr);
    m_timeline->setSession(nullptr);
    m_incidents->setSession(nullptr);
    m_logs->setSession(nullptr);
}

void MainWindow::start() {
    listRuns();
    m_welcome->setQuickstart(findQuickstart());
    // what a window that is open all day read and dropped is not to stay with it
    auto* memory = new QTimer(this);
    connect(memory, &QTimer::timeout, [] { QThreadPool::globalInstance()->start(giveBackFreedMemory); });
    memory->start(kGiveBackMs);

    m_remembered = m_settings;
    m_rememberTimer.setSingleShot(true);
    connect(&m_rememberTimer, &QTimer::timeout, this, &MainWindow::remember);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::rememberSoon);

    const QString run = m_options.run.isEmpty() && m_options.config.isEmpty() ? m_settings.lastRun : m_options.run;
    const QString config = m_options.config.isEmpty() ? m_settings.lastConfig : m_options.config;
    const Page wanted = m_options.page.value_or(!m_options.run.isEmpty()      ? Page::Review
                                                : !m_options.config.isEmpty() ? Page::Configure
                                                                              : static_cast<Page>(m_settings.page));
    if (m_options.remember)
        m_config->file()->setDraftDir(stateFolder(QStringLiteral("drafts")));
    // what was open last may be gone by now: that is no error
    if (m_options.remember && m_options.config.isEmpty() && m_config->file()->recoverUntitled())
        showWork();
    else if (m_options.remember && !config.isEmpty() && m_config->file()->recoverLost(config))
        showWork();
    else if (!config.isEmpty() && (!m_options.config.isEmpty() || QFileInfo::exists(config)))
        openConfig(config);
    if (m_options.launch)
        launchWhenRead();
    showPage(wanted); // before the run: a page that is not wanted is not made ready for it
    if (!run.isEmpty() && (!m_options.run.isEmpty() || QFileInfo::exists(run)))
        openRun(run);
    if (m_options.run.isEmpty() && m_config->file()->isOpen())
        m_config->showRecipe();
    if (m_options.page)
        showWork();
    showPage(wanted);
}

bool MainWindow::isComplete() const {
    if (!m_lister)
        return false;
    if (page() == Page::Configure)
        return m_stack->currentWidget() == m_welcome || (m_config->showsRun() && m_config->isComplete()) ||
               (!m_config->showsRun() && !m_config->file()->isOpen()) ||
               (m_config->isComplete() && !m_config->dryRun()->isBusy());
    if (page() == Page::Runs)
        return m_runsPage->isComplete();
    if (m_session && m_session->view().nowNs == 0)
        return false;
    if (page() == Page::Timeline)
        return m_timeline->isComplete();
    return page() != Page::Review || m_review->isComplete();
}

void MainWindow::openConfig(const QString& path) {
    m_config->open(path);
    if (m_config->file()->path() != QFileInfo(path).absoluteFilePath() && !m_config->file()->hasEdits())
        m_problem = tr("%1 cannot be opened").arg(path);
    showWork();
    showPage(Page::Configure);
    if (!m_tour)
        m_config->takeFocus();
}

void MainWindow::showPage(Page wanted) {
    m_tabs->setCurrentIndex(static_cast<int>(wanted));
}

Page MainWindow::page() const {
    return static_cast<Page>(m_tabs->currentIndex());
}

void MainWindow::showWork() {
    m_stack->setCurrentWidget(m_work);
    rememberSoon();
}

void MainWindow::say(const QString& text) {
    fitStatusLine(); // the tabs may have grown
    m_status->showMessage(text, kSaidMs);
}

void MainWindow::fitStatusLine() {
    m_status->setRoom(m_tabs->width() - m_tabs->tabBar()->sizeHint().width() - kTabsGap);
}

/// The first line is the notice; what follows it are its details.
void MainWindow::complain(const QString& problem, const QString& topic) {
    const QString text = problem.trimmed(), first = text.section(u'\n', 0, 0), rest = text.section(u'\n', 1);
    Notice notice;
    notice.topic = topic;
    notice.text = [first] { return first; };
    if (!rest.isEmpty())
        notice.details = [rest] { return rest; };
    m_notice->add(notice);
}

void MainWindow::complainOfFolder(const QString& dir) {
    const QFileInfo folder(dir);
    const QString path = folder.absoluteFilePath();
    const bool there = folder.exists();
    Notice notice;
    notice.topic = QStringLiteral("open");
    notice.text = [path, there] {
        return there ? tr("%1 is not a Rankscope run (no run.json).").arg(path) : tr("%1 does not exist.").arg(path);
    };
    if (folder.isDir()) {
        notice.details = [] {
            return tr("Rankscope shows the folders that it makes when a run is launched. TensorBoard event files and "
                      "folders of NeMo's exp_manager can be imported: that makes a run of them.");
        };
        notice.actionText = [] { return tr("Import…"); };
        notice.action = [this, path] { importRun(path, false); };
    }
    m_problem = notice.text();
    m_notice->add(notice);
}

void MainWindow::setThemeMode(const QString& mode) {
    m_settings.theme = mode;
    Theme::instance().apply(mode == QLatin1String("dark")    ? Theme::Mode::Dark
                            : mode == QLatin1String("light") ? Theme::Mode::Light
                                                             : Theme::Mode::System);
}

void MainWindow::setLanguageCode(const QString& code) {
    m_settings.language = code;
    setLanguage(code);
}

void MainWindow::solo(int rank) {
    if (rank >= 0 && m_session && rank >= m_session->view().info.worldSize) {
        say(tr("There is no rank %1 in this run").arg(rank));
        return;
    }
    if (rank < 0 && m_solo < 0)
        m_review->zoomAll(); // 0 once more: the whole run
    m_solo = rank == m_solo ? -1 : rank;
    m_review->soloRank(m_solo);
    say(m_solo < 0 ? tr("All ranks are shown") : tr("Only rank %1 is shown; 0 shows all").arg(m_solo));
}

void MainWindow::focusSearch() {
    if (m_stack->currentWidget() == m_work && page() == Page::Configure) {
        m_config->focusSearch();
    } else if (m_stack->currentWidget() == m_work && page() == Page::Logs) {
        m_logs->focusFilter();
    } else if (m_stack->currentWidget() == m_work && page() == Page::Timeline) {
        m_timeline->focusSearch();
    } else if (m_stack->currentWidget() == m_work && page() == Page::Runs) {
        m_runsPage->focusFilter();
    } else {
        (*m_actions)[Act::ShowRuns]->setChecked(true);
        if (m_runs->isFolded()) {
            m_userFold = false;
            foldByWidth();
        }
        m_runs->focusSearch();
    }
}

void MainWindow::exportPlots() {
    if (page() == Page::Runs)
        return m_runsPage->exportPlots();
    showPage(Page::Review);
    m_review->exportPlots();
}

void MainWindow::foldByWidth() {
    const bool narrow = width() < kFoldBelow;
    if (narrow != m_wasNarrow)
        m_userFold.reset();
    m_wasNarrow = narrow;
    const bool folded = m_userFold.value_or(narrow);
    if (folded != m_runs->isFolded())
        m_runs->setFolded(folded);
}

/// The frame is known only some time after the window was shown.
void MainWindow::fitToScreen() {
    if (!screen() || isMaximized() || isFullScreen())
        return;
    const QMargins frame = windowHandle() ? windowHandle()->frameMargins() : QMargins();
    const QRect fitted = fittedClient(geometry(), frame, screen()->availableGeometry());
    if (fitted != geometry())
        setGeometry(fitted);
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (m_fitted || !m_options.remember) // a picture has the size that it was asked for
        return;
    m_fitted = true;
    QTimer::singleShot(0, this, &MainWindow::fitToScreen);
    QTimer::singleShot(kFrameMs, this, &MainWindow::fitToScreen);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    QTimer::singleShot(0, this, &MainWindow::fitStatusLine); // once the tabs have their width
    foldByWidth();
    placeTour();
}

bool MainWindow::mayClose() {
    if (!m_options.remember || !m_config->file()->hasUnkeptEdits())
        return true;
    QMessageBox box(QMessageBox::NoIcon, tr("Unsaved edits"),
                    tr("%1 has unsaved edits.").arg(m_config->file()->title()), QMessageBox::NoButton, this);
    box.setTextFormat(Qt::PlainText); // the title may be a stranger's
    auto* saving = box.addButton(tr("Save"), QMessageBox::AcceptRole);
    auto* discard = box.addButton(tr("Discard"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(tr("Keep editing"), QMessageBox::RejectRole));
    box.exec();
    if (box.clickedButton() == saving)
        return m_config->save();
    if (box.clickedButton() != discard)
        return false;
    m_config->file()->dropDraft();
    return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!leavesRun() || !mayClose()) {
        event->ignore();
        return;
    }
    remember();
    m_config->file()->dropDraft(); // nothing is open in a window that was closed
    event->accept();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && m_keys) {
        m_status->clearMessage(); // it was said in the other language
        retranslate();
        m_header->retranslate();
        showTourStep();
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    // a row of the own table that is let go over the window opens nothing
    if (!event->source() && urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    openDropped(event->mimeData()->urls().front().toLocalFile());
}

/// A run is a folder; the files that every run has stand for it too.
static QString runFolder(const QString& path) {
    const QFileInfo file(path);
    if (file.isDir())
        return path;
    const bool stands = file.fileName() == QLatin1String("run.json") || file.fileName() == QLatin1String("run.sqlite");
    return stands ? file.absolutePath() : QString();
}

void MainWindow::openDropped(const QString& path) {
    if (ImportPanel::isSource(path)) {
        importRun(path, true);
    } else if (const QString folder = runFolder(path); !folder.isEmpty()) {
        if (openRun(folder) && (page() == Page::Runs || page() == Page::Configure))
            showPage(Page::Review);
    } else {
        openConfig(path);
    }
}

void MainWindow::showAbout() {
    Notice about;
    about.kind = Notice::Kind::Info;
    about.topic = QStringLiteral("about");
    about.text = [] {
        return tr("Rankscope %1. The window is under GPL-3.0-or-later, trainer and command line under Apache-2.0.")
            .arg(QStringLiteral(RANKSCOPE_VERSION));
    };
    m_notice->add(about);
}

void MainWindow::showGuide() {
    if (!m_guide)
        m_guide = new GuideWindow(findGuide(), this);
    m_guide->show();
    m_guide->raise();
    m_guide->activateWindow();
}

} // namespace rankscope::ui
