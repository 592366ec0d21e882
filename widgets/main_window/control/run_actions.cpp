// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/run_actions.h"

#include "widgets/config/launch/run_launcher.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/exchange/watch_panel.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/view/run_lineage.h"
#include "widgets/models/view/watched_run.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/runs/commands/ctl_commands.h"
#include "widgets/runs_page/page/runs_page.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr qsizetype kMostCommands = 20;            ///< that are remembered
static const QString kStopTopic = QStringLiteral("stop"); ///< of the notice that a stop was refused

RunActions::RunActions(Actions* actions, RunOpener* opener, PageTabs* tabs, NoticeStrip* notices, CtlCommands* commands,
                       WindowSettings* settings, QString runsDir)
    : m_actions(actions), m_opener(opener), m_tabs(tabs), m_notices(notices), m_commands(commands),
      m_settings(settings), m_runsDir(std::move(runsDir)) {
    m_actions->on(ActionId::Stop, this, [this] {
        if (m_opener->session())
            stop(m_opener->dir(), false);
    });
    m_actions->on(ActionId::StopNow, this, [this] {
        if (m_opener->session())
            stop(m_opener->dir(), true);
    });
    m_actions->on(ActionId::Resume, this, [this] {
        if (m_opener->session())
            resume(m_opener->dir());
    });
    m_actions->on(ActionId::Watch, this, [this] { watch(); });
    connect(m_tabs->review()->ending(), &RunEndController::resumeRequested, this, [this](const QString& checkpoint) {
        if (m_opener->session())
            resume(m_opener->dir(), checkpoint);
    });
    connect(m_tabs->runs(), &RunsPage::stopRequested, m_commands, &CtlCommands::stop);
    connect(m_opener, &RunOpener::changed, this, [this] {
        m_stopAsked = false;
        m_notices->drop(kStopTopic);
    });
    connect(m_commands, &CtlCommands::message, m_tabs, &PageTabs::showStatus);
    connect(m_commands, &CtlCommands::stopRefused, this, &RunActions::stopRefused);
}

void RunActions::watch(const QStringList& command) {
    if (!m_watch) {
        m_watch = new WatchPanel(m_runsDir, m_tabs->window());
        connect(m_watch, &WatchPanel::started, this, &RunActions::launched);
        connect(m_watch, &WatchPanel::commandUsed, this, [this](const QString& used) {
            QStringList& recent = m_settings->recentCommands;
            recent.removeAll(used);
            recent.prepend(used);
            recent.resize(std::min(recent.size(), kMostCommands));
        });
    }
    m_watch->setRecent(m_settings->recentCommands);
    if (!command.isEmpty())
        m_watch->setCommand(command);
    m_watch->show();
    m_watch->raise();
    m_watch->activateWindow();
}

/// Shows why the stop was refused and lets the user request it again.
void RunActions::stopRefused(const QString& runDir, const QString& problem) {
    clearStopping(runDir);
    m_refusedDir = runDir;
    m_notices->showError(problem, kStopTopic);
    if (runDir == m_opener->dir())
        m_stopAsked = false;
    emit actionsChanged();
}

void RunActions::stop(const QString& runDir, bool now) {
    if (runDir == m_opener->dir())
        m_stopAsked = true;
    m_notices->drop(kStopTopic);
    m_commands->stop(runDir, now);
    emit actionsChanged();
}

void RunActions::resume(const QString& runDir, const QString& checkpoint) {
    const QString id = QFileInfo(runDir).fileName();
    m_resuming = true;
    emit actionsChanged();
    m_tabs->showStatus(tr("Resuming %1").arg(id));
    // next to the run that it continues, where the user looks for it
    QStringList arguments{QStringLiteral("launch"), QStringLiteral("--resume"),       runDir,
                          QStringLiteral("--runs"), QFileInfo(runDir).absolutePath(), QStringLiteral("--detach"),
                          QStringLiteral("--json")};
    if (!checkpoint.isEmpty())
        arguments << QStringLiteral("--checkpoint") << checkpoint;
    m_commands->run(arguments, {}, [this, id](const CommandReply& reply) {
        m_resuming = false;
        emit actionsChanged();
        if (!reply.error.isEmpty())
            return m_notices->showError(tr("%1 was not resumed: %2").arg(id, reply.error));
        if (const auto dir = runDirFromReply(reply.output))
            emit launched(*dir);
        else
            m_notices->showError(QString::fromStdString(dir.error().message()));
    });
}

void RunActions::setResumedBy(const QString& runDir) {
    if (std::exchange(m_resumedBy, runDir) != runDir)
        emit actionsChanged();
}

/// Says of a run that was resumed before that resuming it again makes a second continuation.
void RunActions::updateResume() {
    QAction* resume = (*m_actions)[ActionId::Resume];
    const RunSession* session = m_opener->session();
    const bool resumable = session && session->view().resumable;
    resume->setEnabled(resumable && !m_resuming);
    resume->setVisible(resumable);
    const bool again = !m_resumedBy.isEmpty();
    resume->setText(again ? tr("&Resume again") : Actions::text(ActionId::Resume));
    const QString tip = again ? tr("Run %1 was resumed from this one already; this makes one more from the newest "
                                   "checkpoint")
                                    .arg(shortRunId(QFileInfo(m_resumedBy).fileName()))
                              : Actions::tip(resume, ActionId::Resume);
    if (resume->toolTip() != tip)
        resume->setToolTip(tip);
}

void RunActions::updateActions() {
    const auto& acts = *m_actions;
    const RunSession* session = m_opener->session();
    const auto state = session ? session->view().info.state : launch::RunState::Finished;
    const bool gone = session && session->view().goneRealtimeNs != 0;
    const bool live = session && !gone && !session->view().info.id.empty() && launch::isLive(state);
    const bool stopping = live && (m_stopAsked || state == launch::RunState::Stopping);
    // a command may go on training after Ctrl-C in its terminal
    acts[ActionId::Stop]->setEnabled(live && !m_stopAsked && (!stopping || session->view().info.watched()));
    acts[ActionId::Stop]->setVisible(live);
    // only as a second step: a slip of the mouse must not kill a run
    acts[ActionId::StopNow]->setEnabled(stopping);
    acts[ActionId::StopNow]->setVisible(live);
    updateResume();
    const QString against = session ? relaunchObstacle(session->view().info) : QString();
    acts[ActionId::Relaunch]->setEnabled(session && !gone && against.isEmpty());
    const QString tip = against.isEmpty() ? Actions::tip(acts[ActionId::Relaunch], ActionId::Relaunch) : against;
    if (acts[ActionId::Relaunch]->toolTip() != tip)
        acts[ActionId::Relaunch]->setToolTip(tip);
}

void RunActions::clearStopMessages(const QString& runDir) {
    clearStopping(runDir);
    if (runDir == m_refusedDir) {
        m_refusedDir.clear();
        m_notices->drop(kStopTopic);
    }
}

void RunActions::clearStopping(const QString& runDir) {
    const QString shown = m_tabs->status()->currentMessage();
    if (!shown.isEmpty() &&
        (shown == CtlCommands::stoppingText(runDir, false) || shown == CtlCommands::stoppingText(runDir, true)))
        m_tabs->status()->clearMessage();
}

} // namespace rankscope::ui
