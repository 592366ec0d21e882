// SPDX-License-Identifier: GPL-3.0-or-later
// The table of runs in the window.
#include "widgets/config/page/config_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/models/run/run_session.h"
#include "widgets/runs/scan/ctl_commands.h"
#include "widgets/runs/scan/run_lister.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/page/runs_page.h"

#include <QStackedWidget>
#include <QTabWidget>
#include <QUndoStack>

namespace rankscope::ui {

void MainWindow::connectRuns() {
    m_tabs->addTab(m_runsPage, QString());
    connect((*m_actions)[Act::PageRuns], &QAction::triggered, this, [this] {
        showWork();
        showPage(Page::Runs);
    });
    connect(m_runsPage, &RunsPage::openRequested, this, [this](const QString& dir) {
        if (openRun(dir))
            showPage(Page::Review);
    });
    connect(m_runsPage, &RunsPage::stopRequested, m_commands, &RunCommands::stop);
    connect(m_runsPage, &RunsPage::relaunchRequested, this, [this](const QString& dir) { relaunch(dir); });
    connect(m_runsPage, &RunsPage::message, this, &MainWindow::say);
    connect(m_runsPage, &RunsPage::failed, this, [this](const QString& problem) { complain(problem); });
    connect(m_runsPage, &RunsPage::removed, this, [this](const QString& dir) {
        if (m_session && dir == QString::fromStdString(m_session->run().dir.string()))
            closeRun();
    });
    connect(m_runsPage, &RunsPage::changed, this, [this] {
        if (m_lister)
            m_lister->refresh();
    });
    connect(m_runs, &RunsPanel::renameRequested, m_runsPage, &RunsPage::rename);
    connect(m_notifier, &Notifier::openRequested, this, [this](const QString& dir) {
        openRun(dir);
        showPage(Page::Review);
        setWindowState(windowState() & ~Qt::WindowMinimized);
        raise();
        activateWindow();
    });
    for (auto changes : {&QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged})
        connect(m_runsPage->undoStack(), changes, this, [this] { updateActions(); });
}

void MainWindow::listRuns() {
    m_lister = new RunLister(m_options.runsDir.toStdString(), this);
    connect(m_lister, &RunLister::listed, this, &MainWindow::showRows);
    connect(m_lister, &RunLister::filled, m_runsPage, &RunsPage::setFilled);
    connect(m_lister, &RunLister::filled, this, [this] { m_filled = true; });
    connect(m_lister, &RunLister::failed, this,
            [this](const QString& problem) { complain(problem, QStringLiteral("list")); });
    m_lister->start();
}

QUndoStack* MainWindow::undoStack() const {
    return m_stack->currentWidget() == m_work && page() == Page::Runs ? m_runsPage->undoStack()
                                                                      : m_config->file()->undoStack();
}

} // namespace rankscope::ui
