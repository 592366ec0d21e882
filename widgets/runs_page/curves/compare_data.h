// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison of runs says of their settings and figures.
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <optional>
#include <vector>

namespace rankscope::ui {

struct SettingLine {
    const std::string* key = nullptr;
    std::vector<const std::string*> values; ///< by run; null: it has no such key, or no effective.yaml
    bool differs = false;                   ///< among the runs that have an effective.yaml
};
/// By key. A run without effective.yaml says nothing, so that it makes nothing differ.
std::vector<SettingLine> settingLines(const QList<RunRow>& runs, bool onlyDiffering);

/// value / baseline; none when either is missing or the baseline is 0.
std::optional<double> ratioOf(double value, double baseline);
/// Whether more of a figure is better (1) or worse (-1); 0: neither.
int betterWhenMore(FieldId id);
/// "×0.98", "×12"; empty for none.
QString ratioText(std::optional<double> ratio);

/// What the table of figures shows, from top to bottom.
const std::vector<FieldId>& comparedFigures();

} // namespace rankscope::ui
