// SPDX-License-Identifier: GPL-3.0-or-later
// Export and import of runs.
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/exchange/export_panel.h"
#include "widgets/main_window/exchange/import_panel.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs/scan/run_lister.h"

namespace rankscope::ui {

void MainWindow::exportRun() {
    if (!m_session)
        return;
    if (!m_export)
        m_export = new ExportPanel([this](const QString& file) { return m_review->exportTo(file); }, this);
    m_export->setRun(QString::fromStdString(m_session->run().dir.string()),
                     QString::fromStdString(m_session->view().info.name), m_review->seenSteps());
    m_export->show();
    m_export->raise();
    m_export->activateWindow();
}

void MainWindow::importRun(const QString& path, bool begin) {
    if (!m_import) {
        m_import = new ImportPanel(m_options.runsDir, this);
        connect(m_import, &ImportPanel::imported, this, [this](const QString& dir) {
            if (m_lister)
                m_lister->refresh();
            if (openRun(dir))
                showPage(Page::Review);
        });
    }
    m_import->show();
    m_import->raise();
    m_import->activateWindow();
    m_import->reopen();
    if (!path.isEmpty())
        m_import->setSource(path);
    if (begin)
        m_import->begin();
}

} // namespace rankscope::ui
