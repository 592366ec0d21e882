// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_exporter.h"

#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/export/page_export.h"
#include "widgets/review/page/filter_controller.h"
#include "widgets/review/page/plot_feed.h"
#include "widgets/review/page/plot_legend.h"
#include "widgets/review/page/plot_stack.h"
#include "widgets/theme/theme.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace rankscope::ui {

/// The content of a file.
struct ExportJob {
    QString title;          ///< run and range
    QList<RankPlot*> plots; ///< visible ones, from top to bottom
    std::vector<int> ranks; ///< in the legend
    PlotRange range;
    CurveAxis axis = CurveAxis::Step;
};

static int heightOf(const RankPlot& plot) {
    return std::clamp(plot.height() * PlotPage::kWidth / std::max(1, plot.width()), 160, 480);
}

static PlotPage pageOf(const ExportJob& job) {
    PlotPage page;
    page.title = job.title;
    for (const int rank : job.ranks)
        page.legend.append({Theme::instance().rankPen(rank), RankPlot::tr("rank %1").arg(rank)});
    page.signs = signsOf(job.plots);
    page.height = 0;
    for (const auto* plot : job.plots)
        page.height += heightOf(*plot);
    page.draw = [&job](QCPPainter& painter) {
        painter.save();
        for (auto* plot : job.plots) {
            plot->toPainter(&painter, PlotPage::kWidth, heightOf(*plot));
            painter.translate(0, heightOf(*plot));
        }
        painter.restore();
    };
    return page;
}

/// Returns one line per plot, rank and point. With tabs it can be pasted into a spreadsheet.
static QString toCsv(const ExportJob& job, QChar separator = u',') {
    const bool counted = job.axis == CurveAxis::SampleCount;
    QString csv = QStringLiteral("series,unit,rank,first_step,last_step,time_s,%1min,mean,max,values,not_finite\n")
                      .arg(counted ? QStringLiteral("samples,") : QString());
    csv.replace(u',', separator);
    // titles of imported series may contain any text
    const auto quoted = [&](QString text) {
        if (text.contains(separator) || text.contains(u'"') || text.contains(u'\n'))
            text = u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
        return text;
    };
    const auto number = [](double v) { return QString::number(v, 'g', 9); };
    for (const auto* plot : job.plots) {
        const QString unit = plot->spec().duration ? QStringLiteral("s") : plot->spec().unit;
        const auto& series = plot->series();
        for (std::size_t rank = 0; rank < series.size(); ++rank)
            for (const auto& s : series[rank]) {
                if (!job.range.contains(s.x))
                    continue;
                QStringList row{quoted(plot->spec().title),  unit,
                                QString::number(rank),       QString::number(s.firstStep),
                                QString::number(s.lastStep), number(static_cast<double>(s.timeNs) * 1e-9)};
                if (counted)
                    row << QString::number(s.x, 'g', 15);
                for (const double v : {s.min, s.mean, s.max})
                    row << (s.isGap() ? QString() : number(v));
                row << QString::number(s.count) << QString::number(s.notFinite);
                csv += row.join(separator) + u'\n';
            }
    }
    return csv;
}

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
    const ExportJob all = job(only);
    if (all.plots.isEmpty())
        return fail(Errc::BadInput, "there is no visible plot to export", file.toStdString());
    if (QFileInfo(file).suffix().toLower() == QStringLiteral("csv"))
        return writeTextFile(toCsv(all), file);
    return writePage(pageOf(all), file);
}

void PlotExporter::copyAsTable(RankPlot* plot) {
    copyText(toCsv(job({plot}), u'\t'));
    emit message(tr("The visible series was copied; paste it into a spreadsheet"));
}

void PlotExporter::askAndWrite(const QList<RankPlot*>& only) {
    if (!m_session || !m_feed->controller().hasSteps())
        return emit message(tr("There is nothing to export yet"));
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
        if (!std::ranges::all_of(only, [this](const RankPlot* plot) { return m_stack->paneOf(plot); }))
            return emit message(tr("The plot has been removed"));
        const auto written = write(only, file);
        if (written)
            emit message(tr("Written: %1").arg(file));
        else
            emit failed(toQString(written.error().message()));
    });
    dialog->open();
}

} // namespace rankscope::ui
