// SPDX-License-Identifier: GPL-3.0-or-later
// The common style of all plots on QCustomPlot: axes without tick strokes, hairlines, small figures, one left margin.
#pragma once

class QCustomPlot;
class QFont;

namespace rankscope::ui {

inline constexpr int kPlotRightMargin = 16;
inline constexpr int kPlotTopMargin = 22; ///< the title's line

/// Returns the pixels from a plot's left edge to its axis: room for the widest figure, the same in all stacked plots.
int plotLeftMargin(const QFont& font);
/// Sets up a plot's axes; call it once, when the plot is created.
void prepareAxes(QCustomPlot* plot);
/// Applies the colours and fonts of the current theme.
void styleAxes(QCustomPlot* plot);
/// Sets a plot's margins; with `xLabels` there is room for tick labels and title below the axis.
void setPlotMargins(QCustomPlot* plot, bool xLabels);

} // namespace rankscope::ui
