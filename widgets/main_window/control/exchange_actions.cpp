// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/exchange_actions.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/exchange/export_panel.h"
#include "widgets/main_window/exchange/import_panel.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/runs/commands/ctl_commands.h"
#include "widgets/runs_page/page/runs_page.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

#include <utility>

namespace rankscope::ui {

static void bringUp(QWidget* panel) {
    panel->show();
    panel->raise();
    panel->activateWindow();
}

ExchangeActions::ExchangeActions(Actions* actions, RunOpener* opener, PageTabs* tabs, CtlCommands* commands,
                                 QString runsDir, QWidget* window)
    : m_opener(opener), m_tabs(tabs), m_commands(commands), m_runsDir(std::move(runsDir)), m_window(window) {
    RunEndController* ending = m_tabs->review()->ending();
    actions->on(ActionId::Export, this, [this] { exportPlots(); });
    actions->on(ActionId::ExportRun, this, [this] { exportRun(); });
    actions->on(ActionId::ExportWeights, this, [this, ending] { exportWeights(ending->weightsFile()); });
    actions->on(ActionId::ImportRun, this, [this] { importRun({}, false); });
    connect(ending, &RunEndController::exportRequested, this, &ExchangeActions::exportWeights);
    connect(m_opener, &RunOpener::importRequested, this, [this](const QString& dir) { importRun(dir, false); });
}

void ExchangeActions::exportPlots() {
    if (m_tabs->page() == Page::Runs)
        return m_tabs->runs()->exportPlots();
    m_tabs->showPage(Page::Review);
    m_tabs->review()->exportPlots();
}

void ExchangeActions::exportRun() {
    const RunSession* session = m_opener->session();
    if (!session)
        return;
    if (!m_export)
        m_export = new ExportPanel([this](const QString& file) { return m_tabs->review()->exportTo(file); }, m_window);
    m_export->setRun(m_opener->dir(), QString::fromStdString(session->view().info.name), m_tabs->review()->seenSteps());
    bringUp(m_export);
}

void ExchangeActions::importRun(const QString& path, bool begin) {
    if (!m_import) {
        m_import = new ImportPanel(m_runsDir, m_window);
        connect(m_import, &ImportPanel::imported, this, &ExchangeActions::imported);
    }
    bringUp(m_import);
    m_import->reopen();
    if (!path.isEmpty())
        m_import->setSource(path);
    if (begin)
        m_import->begin();
}

/// Asks for the target and lets rankscopectl write it from the run, because a checkpoint lacks the model's
/// configuration.
void ExchangeActions::exportWeights(const QString& file) {
    if (!m_opener->session() || file.isEmpty())
        return;
    const QString run = m_opener->dir();
    const QString effective = QString::fromStdString(m_opener->session()->run().effective().string());
    const bool model = file.endsWith(QLatin1String(".nemo"));
    auto* dialog = new QFileDialog(m_window, tr("Export weights"));
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
        m_tabs->showStatus(tr("Writing %1…").arg(target));
        m_commands->run(arguments, run, [this, target](const CommandReply& reply) {
            m_tabs->showStatus(reply.error.isEmpty() ? tr("Written: %1").arg(target)
                                                     : tr("%1 was not written: %2").arg(target, reply.error));
        });
    });
    dialog->open();
}

} // namespace rankscope::ui
