// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/export/plot_export.h"

#include "widgets/plots/export/page_export.h"
#include "widgets/theme/theme.h"

#include <QFileInfo>

#include <algorithm>

namespace rankscope::ui {

static int heightOf(const RankPlot& plot) {
    return std::clamp(plot.height() * PlotPage::kWidth / std::max(1, plot.width()), 160, 480);
}

static PlotPage pageOf(const ExportJob& job) {
    PlotPage page;
    page.title = job.title;
    for (const int rank : job.ranks)
        page.legend.append({Theme::instance().rankPen(rank), RankPlot::tr("rank %1").arg(rank)});
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

QString toCsv(const ExportJob& job, QChar separator) {
    const bool counted = job.axis == CurveAxis::SampleCount;
    QString csv = QStringLiteral("series,unit,rank,first_step,last_step,time_s,%1min,mean,max,values,not_finite\n")
                      .arg(counted ? QStringLiteral("samples,") : QString());
    csv.replace(u',', separator);
    // titles of imported series are foreign text
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

Result<void> exportPlots(const ExportJob& job, const QString& file) {
    if (job.plots.isEmpty())
        return fail(Errc::BadInput, "there is no visible plot to export", file.toStdString());
    if (QFileInfo(file).suffix().toLower() == QStringLiteral("csv"))
        return writeTextFile(toCsv(job), file);
    return writePage(pageOf(job), file);
}

} // namespace rankscope::ui
