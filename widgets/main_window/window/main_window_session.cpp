// SPDX-License-Identifier: GPL-3.0-or-later
// The open run, and what is remembered between two starts.
#include "core/base/values/clock.h"
#include "core/launch/run/run_folder.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/launch/run_launcher.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/help/tour_state.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/store_health_text.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs/scan/ctl_commands.h"
#include "widgets/runs/scan/run_lister.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/timeline/page/timeline_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>
#include <QTemporaryDir>

#include <utility>

namespace rankscope::ui {

static constexpr int kRememberMs = 2000; ///< after the last change

bool MainWindow::openRun(const QString& what) {
    launch::RunPaths run{what.toStdString()};
    if (!QFileInfo::exists(QString::fromStdString(run.runJson().string()))) {
        if (what.contains(u'/') || QFileInfo(what).isDir()) {
            complainOfFolder(what);
            return false;
        }
        const auto found = launch::findRun(m_options.runsDir.toStdString(), what.toStdString());
        if (!found) {
            m_problem = QString::fromStdString(found.error().message());
            complain(m_problem, QStringLiteral("open"));
            return false;
        }
        run = *found;
    }
    m_notice->drop(QStringLiteral("open"));
    const QString dir = QFileInfo(QString::fromStdString(run.dir.string())).absoluteFilePath();
    run.dir = dir.toStdString();
    if (m_session && m_session->run().dir == run.dir) {
        showWork();
        return true;
    }
    closeRun();
    m_session = std::make_unique<RunSession>(run);
    m_endSeen = m_endWatched = false;
    m_settings.lastRun = dir;
    rememberOpened(dir, true);
    connect(m_session.get(), &RunSession::viewChanged, this, &MainWindow::viewChanged);
    m_review->setSession(m_session.get());
    m_timeline->setSession(m_session.get());
    m_incidents->setSession(m_session.get());
    m_logs->setSession(m_session.get());
    m_runs->setCurrent(dir);
    m_config->showRun(dir);
    m_header->show();
    showWork();
    viewChanged();
    return true;
}

void MainWindow::closeRun() {
    m_review->setSession(nullptr);
    m_timeline->setSession(nullptr);
    m_incidents->setSession(nullptr);
    m_logs->setSession(nullptr);
    m_session.reset();
    updateEnding();
    m_seenState.reset();
    showKin();
    m_stopAsked = false;
    m_solo = -1;
    m_review->soloRank(-1);
    m_banner->setLag({});
    m_banner->setIncidents({}, 0, false);
    m_header->hide();
    m_settings.lastRun.clear();
    m_config->showRun({});
    m_runs->setCurrent({});
    retranslate();
    updateActions();
}

void MainWindow::viewChanged() {
    const RunView& view = m_session->view();
    m_header->setView(view);
    m_banner->setLag(view.lag ? storeLagText(*view.lag, view.info) : QString());
    m_banner->setFaults(view.info.faults);
    m_banner->setIncidents(view.incidents, view.knownNs, launch::isLive(view.info.state));
    if (view.storeVersion > 0)
        m_notifier->see(QString::fromStdString(m_session->run().dir.string()), toQString(view.info.name),
                        view.incidents, view.knownNs);
    if (!view.info.id.empty() && std::exchange(m_seenState, view.info.state) != view.info.state) {
        showKin();
        if (!launch::isLive(view.info.state))
            stopMessageOver(QString::fromStdString(m_session->run().dir.string()));
        if (m_lister)
            m_lister->refresh(); // the list says the same as the header
    }
    updateEnding();
    showTitles();
    updateActions();
    showTourStep();
}

void MainWindow::updateActions() {
    const auto& acts = *m_actions;
    const bool run = m_session != nullptr;
    const auto state = run ? m_session->view().info.state : launch::RunState::Finished;
    const bool gone = run && m_session->view().goneRealtimeNs != 0;
    const bool live = run && !gone && !m_session->view().info.id.empty() && launch::isLive(state);
    const bool stopping = live && (m_stopAsked || state == launch::RunState::Stopping);
    acts[Act::Stop]->setEnabled(live && !stopping);
    acts[Act::Stop]->setVisible(live);
    // the second press: nobody ends a run at once by a slip of the mouse
    acts[Act::StopNow]->setEnabled(stopping);
    acts[Act::StopNow]->setVisible(live);
    const bool resumable = run && m_session->view().resumable;
    acts[Act::Resume]->setEnabled(resumable && !m_resuming);
    acts[Act::Resume]->setVisible(resumable);
    acts[Act::Relaunch]->setEnabled(run && !gone);
    acts[Act::CloseRun]->setEnabled(run);
    acts[Act::Export]->setEnabled((run && !gone) || page() == Page::Runs);
    acts[Act::ExportRun]->setEnabled(run && !gone);
    const ConfigFile& file = *m_config->file();
    acts[Act::Launch]->setEnabled(file.isOpen());
    acts[Act::Save]->setEnabled(file.isDirty());
    acts[Act::SaveAs]->setEnabled(file.isOpen());
    acts[Act::Undo]->setEnabled(undoStack()->canUndo());
    acts[Act::Redo]->setEnabled(undoStack()->canRedo());
    updatePlotActions();
}

void MainWindow::runLaunched(const QString& dir) {
    say(tr("Launched %1").arg(QFileInfo(dir).fileName()));
    if (m_lister)
        m_lister->refresh();
    if (openRun(dir))
        showPage(Page::Review);
}

/// The working folder is known, and errors too, only when the recipe was evaluated.
void MainWindow::launchWhenRead() {
    auto once = std::make_shared<QMetaObject::Connection>();
    const auto launchOnce = [this, once] {
        if (!m_config->isComplete())
            return;
        disconnect(*once);
        if (m_config->file()->evaluation()->ok())
            m_config->launch();
        else
            complain(tr("Not launched: the recipe has errors."));
    };
    *once = connect(m_config->file(), &ConfigFile::evaluationChanged, this, launchOnce);
    launchOnce();
}

void MainWindow::resume(const QString& runDir, const QString& checkpoint) {
    const QString id = QFileInfo(runDir).fileName();
    m_resuming = true;
    updateActions();
    say(tr("Resuming %1").arg(id));
    // beside the run that it goes on from: that is where the user looks
    QStringList arguments{QStringLiteral("launch"), QStringLiteral("--resume"),       runDir,
                          QStringLiteral("--runs"), QFileInfo(runDir).absolutePath(), QStringLiteral("--detach"),
                          QStringLiteral("--json")};
    if (!checkpoint.isEmpty())
        arguments << QStringLiteral("--checkpoint") << checkpoint;
    m_commands->run(arguments, {}, [this, id](const CommandReply& reply) {
        m_resuming = false;
        updateActions();
        if (!reply.error.isEmpty())
            return complain(tr("%1 was not resumed: %2").arg(id, reply.error));
        if (const auto dir = runDirFromReply(reply.output))
            runLaunched(*dir);
        else
            complain(QString::fromStdString(dir.error().message()));
    });
}

void MainWindow::relaunch(const QString& runDir, const QString& key, const QString& yaml) {
    if (isOfTour(runDir))
        return relaunchOfTour(key, yaml);
    showWork();
    showPage(Page::Configure);
    if (key.isEmpty())
        m_config->openCopyOf(runDir);
    else
        m_config->openCopyWith(runDir, key, yaml);
}

void MainWindow::showRows(const QList<RunRow>& rows) {
    m_runs->setRows(rows);
    m_runsPage->setRows(rows);
    QList<ComparableRun> comparable;
    for (const RunRow& row : rows)
        if (row.problem.isEmpty())
            comparable << ComparableRun{QFileInfo(row.dir()).fileName(), row.dir(), launch::isLive(row.info.state)};
    m_config->setRuns(comparable);
    m_rows = rows;
    showKin();
    for (const RunRow& row : rows) {
        const bool known = row.figures || m_filled; // before, it may have incidents that were not read yet
        const bool open = m_session && m_session->run().dir == row.paths.dir; // its session tells of it sooner
        if (row.isLive() && known && !open)
            m_notifier->see(row.dir(), row.name(), row.figures ? row.figures->open : std::vector<diagnosis::Incident>{},
                            monotonicNs());
        if (!row.isLive())
            stopMessageOver(row.dir());
    }
}

/// What was said of a stop that was asked for does not outlast the run.
void MainWindow::stopMessageOver(const QString& dir) {
    const QString shown = m_status->currentMessage();
    if (!shown.isEmpty() &&
        (shown == RunCommands::stoppingText(dir, false) || shown == RunCommands::stoppingText(dir, true)))
        m_status->clearMessage();
}

/// Runs that this one was resumed from or repeats, and those that do so with it.
void MainWindow::showKin() {
    RunKin kin;
    if (m_session) {
        const launch::RunInfo& info = m_session->view().info;
        const auto place = [this](const std::string& id) {
            const auto row = std::find_if(m_rows.begin(), m_rows.end(), [&](const auto& r) { return r.info.id == id; });
            return row == m_rows.end() ? QString() : row->dir();
        };
        kin.resumed = {QString::fromStdString(info.resumedFrom), place(info.resumedFrom)};
        kin.repeated = {QString::fromStdString(info.relaunchedFrom), place(info.relaunchedFrom)};
        for (const RunRow& row : std::as_const(m_rows))
            if (!info.id.empty() && (row.info.relaunchedFrom == info.id || row.info.resumedFrom == info.id))
                (row.info.resumedFrom == info.id ? kin.resumedBy : kin.repeatedBy)
                    << RunKin::One{QString::fromStdString(row.info.id), row.dir()};
    }
    m_header->setKin(kin);
    const auto row = std::find_if(m_rows.begin(), m_rows.end(), [this](const RunRow& one) {
        return m_session && one.paths.dir == m_session->run().dir;
    });
    m_header->setTitle(row == m_rows.end() ? QString() : toQString(row->marks.title));
}

void MainWindow::chooseRecipe() {
    auto* dialog = new QFileDialog(this, tr("Open recipe"), QFileInfo(m_config->file()->path()).absolutePath(),
                                   tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openConfig);
    dialog->open();
}

void MainWindow::chooseRun() {
    auto* dialog = new QFileDialog(this, tr("Open run folder"), m_options.runsDir);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& dir) {
        if (openRun(dir))
            showPage(Page::Review);
    });
    dialog->open();
}

void MainWindow::restore() {
    if (!m_settings.geometry.isEmpty())
        restoreGeometry(m_settings.geometry);
    if (!m_settings.review.isEmpty())
        m_review->restoreLayout(m_settings.review);
    if (!m_settings.config.isEmpty())
        m_config->restoreLayout(m_settings.config);
    if (!m_settings.runs.isEmpty())
        m_runsPage->restoreLayout(m_settings.runs);
}

void MainWindow::remember() {
    if (!m_options.remember)
        return;
    m_settings.geometry = saveGeometry();
    m_settings.review = m_review->saveLayout();
    m_settings.config = m_config->saveLayout();
    m_settings.runs = m_runsPage->saveLayout();
    m_settings.lastConfig = m_config->file()->path();
    // the recording goes with the window
    if (isOfTour(m_settings.lastRun))
        m_settings.lastRun = m_tour ? m_tour->formerRun : QString();
    if (m_tour && m_tour->quickstartOpened && !m_config->file()->hasEdits())
        m_settings.lastConfig = m_tour->formerConfig;
    m_settings.page = static_cast<int>(page());
    if (m_settings != m_remembered)
        m_settings.store();
    m_remembered = m_settings;
}

/// Not at the end alone: a window that is killed, or goes with its session, finds again what was open.
void MainWindow::rememberSoon() {
    m_rememberTimer.start(kRememberMs);
}

} // namespace rankscope::ui
