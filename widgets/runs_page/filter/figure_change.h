// SPDX-License-Identifier: GPL-3.0-or-later
// How a run's figure differs from that of a baseline, and whether it is better. The table and the comparison share it.
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QColor>

#include <optional>

namespace rankscope::ui {

/// Returns (value - baseline) / |baseline|, so that more is positive for a negative baseline, too; none if either is
/// missing or the baseline is 0.
std::optional<double> changeOf(double value, double baseline);
/// Returns 1 if a larger figure is better, -1 if it is worse, 0 if neither.
int betterWhenMore(FieldId id);

enum class Verdict { None, Better, Worse };

struct FigureChange {
    QString text; ///< "▼ −2 % better"; empty: there is no change to show
    Verdict verdict = Verdict::None;
    std::optional<double> share; ///< as changeOf() returns
};
/// Returns how a figure changed. There is none for figures that have no ratio, such as the slowest rank, or if both
/// cells show the same text.
FigureChange figureChange(FieldId id, const Cell& value, const Cell& baseline);
/// Returns a share as a percentage: "−2 %", "+0.4 %", "0 %"; from ten times on as a factor: "×12".
QString changeText(double share);
/// Returns the theme's colour for a change's text.
QColor changeColour(Verdict verdict);

} // namespace rankscope::ui
