// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with a run that has ended, whose folder is gone, or that goes on without the window.
#include "widgets/config/page/config_page.h"
#include "widgets/run_end/missing_folder_notice.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs/scan/ctl_commands.h"

#include <QCheckBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardPaths>

#include <algorithm>

namespace rankscope::ui {

static constexpr qint64 kStepsBeforeEnd = 200; ///< that are seen of a run that failed

void MainWindow::connectEnding() {
    RunEnding* ending = m_review->ending();
    const auto dir = [this] { return m_session ? QString::fromStdString(m_session->run().dir.string()) : QString(); };
    connect(ending, &RunEnding::resumeRequested, this, [this, dir](const QString& checkpoint) {
        if (m_session)
            resume(dir(), checkpoint);
    });
    connect(ending, &RunEnding::relaunchRequested, this, [this, dir] {
        if (m_session)
            relaunch(dir());
    });
    connect(ending, &RunEnding::logRequested, this, [this](int rank) {
        showPage(Page::Logs);
        m_logs->showRank(rank);
        m_logs->showTime(-1);
    });
    connect(ending, &RunEnding::detailRequested, this, [this](qint64 id) {
        showPage(Page::Incidents);
        m_incidents->select(id);
    });
    connect(ending, &RunEnding::exportRequested, this, &MainWindow::exportWeights);
    connect(ending, &RunEnding::shownChanged, this, &MainWindow::updateEnding);
    connect(m_review, &ReviewPage::switchesChanged, this, &MainWindow::updateEnding);
    connect((*m_actions)[Act::ShowEnding], &QAction::triggered, this, [this, ending](bool on) {
        ending->setShown(on);
        if (on)
            showPage(Page::Review);
    });
    connect((*m_actions)[Act::ShowCheckpoints], &QAction::triggered, this, [this](bool on) {
        m_review->showCheckpoints(on);
        if (on)
            showPage(Page::Review);
    });
    connect((*m_actions)[Act::ExportWeights], &QAction::triggered, this,
            [this, ending] { exportWeights(ending->weightsFile()); });
    connect(m_gone, &GoneNotice::closeRequested, this, &MainWindow::closeRun);
    connect(m_gone, &GoneNotice::lookRequested, this, [this] {
        if (m_session)
            m_session->refresh();
    });
}

void MainWindow::updateEnding() {
    const auto& acts = *m_actions;
    const RunView* view = m_session ? &m_session->view() : nullptr;
    const RunEnding& ending = *m_review->ending();
    const bool gone = view && view->goneRealtimeNs != 0;
    m_gone->setGone(view ? QString::fromStdString(m_session->run().dir.string()) : QString(),
                    view ? view->goneRealtimeNs : 0);
    acts[Act::ShowEnding]->setEnabled(ending.hasEnding());
    acts[Act::ShowEnding]->setChecked(ending.hasEnding() && ending.isShown());
    acts[Act::ShowCheckpoints]->setEnabled(view != nullptr);
    acts[Act::ShowCheckpoints]->setChecked(m_review->checkpointsShown());
    acts[Act::ExportWeights]->setEnabled(view && !gone && !ending.weightsFile().isEmpty());
    if (!view || m_endSeen || view->nowNs == 0)
        return;
    if (launch::isLive(view->info.state)) {
        m_endWatched = true;
    } else if (ending.hasEnding() && !view->summaries.empty()) {
        m_endSeen = true;
        goToEnd(*view);
    }
}

/// A run that failed is opened where it failed, once; a short one is seen whole. Who watched it fail keeps the view.
void MainWindow::goToEnd(const RunView& view) {
    const auto* fatal = fatalIncident(view.incidents, view.info.state, view.info.cause);
    const qint64 end = std::max(view.step, fatal ? fatal->step : -1);
    if (!failureOf(view))
        return;
    // when the pages have the view, too
    QMetaObject::invokeMethod(
        this,
        [this, session = QPointer(m_session.get()), end, id = fatal ? fatal->id : 0, watched = m_endWatched] {
            if (!session || session != m_session.get())
                return;
            if (end > kStepsBeforeEnd && !watched)
                m_review->showSteps(end - kStepsBeforeEnd, end);
            if (id != 0)
                m_review->selectIncident(id);
        },
        Qt::QueuedConnection);
}

/// Asks where to, and has rankscopectl write it; a checkpoint lacks the model's configuration, which the run has.
void MainWindow::exportWeights(const QString& file) {
    if (!m_session || file.isEmpty())
        return;
    const QString run = QString::fromStdString(m_session->run().dir.string());
    const QString effective = QString::fromStdString(m_session->run().effective().string());
    const bool model = file.endsWith(QLatin1String(".nemo"));
    auto* dialog = new QFileDialog(this, tr("Export weights"));
    dialog->setObjectName(QStringLiteral("exportWeights"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(
        {tr("Model for NeMo (*.nemo)"), tr("PyTorch state dict (*.ckpt)"), tr("Tensors (*.safetensors)")});
    dialog->setDefaultSuffix(QStringLiteral("nemo"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& chosen) {
        dialog->setDefaultSuffix(chosen.section(QStringLiteral("*."), 1).chopped(1));
    });
    const QString home = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    dialog->setDirectory(QDir(home).exists() ? home : QDir::homePath());
    dialog->selectFile(QFileInfo(file).completeBaseName() + QStringLiteral(".nemo"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, file, effective, model, run](const QString& target) {
        QStringList arguments{QStringLiteral("convert"), file, target};
        if (!model && target.endsWith(QLatin1String(".nemo")))
            arguments << QStringLiteral("--config") << effective;
        say(tr("Writing %1…").arg(target));
        m_commands->run(arguments, run, [this, target](const CommandReply& reply) {
            say(reply.error.isEmpty() ? tr("Written: %1").arg(target)
                                      : tr("%1 was not written: %2").arg(target, reply.error));
        });
    });
    dialog->open();
}

/// A run belongs to its supervisor: who quits for the first time while one goes on is told so.
bool MainWindow::leavesRun() {
    const bool open = m_session && m_session->view().nowNs != 0 && m_session->view().goneRealtimeNs == 0 &&
                      launch::isLive(m_session->view().info.state);
    if (!open || !m_options.remember || m_settings.quitTold || !isVisible() ||
        qGuiApp->isSavingSession()) // whoever ends the session cannot be kept waiting
        return true;
    const auto& info = m_session->view().info;
    QMessageBox box(
        QMessageBox::NoIcon, tr("A run goes on"),
        tr("%1 goes on without the window.").arg(QString::fromStdString(info.name.empty() ? info.id : info.name)),
        QMessageBox::NoButton, this);
    box.setObjectName(QStringLiteral("leavesRun"));
    box.setTextFormat(Qt::PlainText); // the name may be a stranger's
    box.setInformativeText(tr("Start Rankscope again to watch it, or stop it there or in a terminal:\n%1")
                               .arg(QStringLiteral("rankscopectl stop %1").arg(QString::fromStdString(info.id))));
    auto* told = new QCheckBox(tr("Do not show this again"), &box);
    told->setChecked(true);
    box.setCheckBox(told);
    auto* quit = box.addButton(tr("Quit"), QMessageBox::AcceptRole);
    box.addButton(tr("Stay"), QMessageBox::RejectRole);
    box.setDefaultButton(quit);
    box.exec();
    if (box.clickedButton() != quit)
        return false;
    m_settings.quitTold = told->isChecked();
    return true;
}

} // namespace rankscope::ui
