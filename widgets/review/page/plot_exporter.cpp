// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_exporter.h"

#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/page/filter_controller.h"
#include "widgets/review/page/plot_feed.h"
#include "widgets/review/page/plot_stack.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>

#include <algorithm>

namespace rankscope::ui {

PlotExporter::PlotExporter(QWidget* page, const PlotStack* stack, const PlotFeed* feed, const FilterController* filters)
    : QObject(page), m_page(page), m_stack(stack), m_feed(feed), m_filters(filters) {}

ExportJob PlotExporter::job(const QList<RankPlot*>& only) const {
    ExportJob job;
    job.plots = only.isEmpty() ? m_stack->plots() : only;
    job.range = m_feed->controller().window();
    job.axis = m_feed->controller().axis();
    if (m_session) {
        const auto& info = m_session->view().info;
        job.title =
            QStringLiteral("%1  %2").arg(toQString(info.name.empty() ? info.id : info.name), m_feed->rangeText());
        job.ranks = chooseLines(m_filters->choice(), m_session->view(), RankPlot::kMaxLines).ranks;
    }
    return job;
}

Result<void> PlotExporter::write(const QList<RankPlot*>& only, const QString& file) const {
    return exportPlots(job(only), file);
}

void PlotExporter::copyAsTable(RankPlot* plot) {
    QGuiApplication::clipboard()->setText(toCsv(job({plot}), u'\t'));
    emit message(tr("The visible series was copied; paste it into a spreadsheet"));
}

void PlotExporter::askAndWrite(const QList<RankPlot*>& only) {
    if (!m_session || !m_feed->controller().hasSteps()) {
        emit message(tr("There is nothing to export yet"));
        return;
    }
    auto* dialog = new QFileDialog(m_page, tr("Export the plots"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Picture (*.png)"), tr("Vector graphics (*.svg)"), tr("Document (*.pdf)"),
                            tr("Table of the visible series (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& chosen) {
        dialog->setDefaultSuffix(chosen.section(QStringLiteral("*."), 1).chopped(1));
    });
    dialog->selectFile(toQString(m_session->view().info.id) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, only](const QString& file) {
        if (!std::ranges::all_of(only, [this](const RankPlot* plot) { return m_stack->paneOf(plot); })) {
            emit message(tr("The plot was removed meanwhile"));
            return;
        }
        const auto written = write(only, file);
        if (written)
            emit message(tr("Written: %1").arg(file));
        else
            emit failed(toQString(written.error().message()));
    });
    dialog->open();
}

} // namespace rankscope::ui
