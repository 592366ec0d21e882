// SPDX-License-Identifier: GPL-3.0-or-later
// Plots as a file: PNG, PDF or SVG of what is seen, CSV of the visible series.
#pragma once

#include "core/base/values/error.h"
#include "widgets/plots/plot/rank_plot.h"

#include <QString>

namespace rankscope::ui {

struct ExportJob {
    QString title;          ///< run and range
    QList<RankPlot*> plots; ///< visible ones, from top to bottom
    std::vector<int> ranks; ///< in the legend
    PlotRange range;
    CurveAxis axis = CurveAxis::Step;
};

/// By suffix: .png, .pdf, .svg, .csv.
Result<void> exportPlots(const ExportJob& job, const QString& file);
/// One line per plot, rank and point. With tabs it pastes into a spreadsheet.
QString toCsv(const ExportJob& job, QChar separator = u',');

} // namespace rankscope::ui
