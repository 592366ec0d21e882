// SPDX-License-Identifier: GPL-3.0-or-later
// What all plots on QCustomPlot have in common: axes without ticks' strokes, hairlines, small figures, one left margin.
#pragma once

#include <QColor>

class QCustomPlot;
class QFont;

namespace rankscope::ui {

inline constexpr int kPlotRightMargin = 16;
inline constexpr int kPlotTopMargin = 22; ///< the title's line

/// Pixels from a plot's left edge to its axis: room for the widest figure, the same in every plot above another.
int plotLeftMargin(const QFont& font);
/// Once, when the plot is made.
void prepareAxes(QCustomPlot* plot);
/// Colours and fonts of the present theme.
void styleAxes(QCustomPlot* plot);
/// Margins of a plot with `xLabels` lines of text below its axis: tick labels and title, or none of them.
void setPlotMargins(QCustomPlot* plot, bool xLabels);

/// Of an incident's shade and mark, by what it did to the run; no rank's line has it.
QColor incidentColour(bool endedTheRun);

} // namespace rankscope::ui
