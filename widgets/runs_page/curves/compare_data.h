// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison of runs says: settings that differ, figures with ratios, curves. Pure but for readCurve().
#pragma once

#include "core/store/tables/metrics.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/runs_page/filter/run_fields.h"

#include <functional>
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

struct CurveRequest {
    std::optional<store::Metric> metric = store::Metric::Loss; ///< none: the validation loss
    CurveAxis axis = CurveAxis::Step;
    bool meanOverRanks = true; ///< else rank 0 alone
    friend bool operator==(const CurveRequest&, const CurveRequest&) = default;
};

struct Curve {
    Samples samples; ///< in the metric's unit; min and max over the ranks and steps of a point
    QString missing; ///< why there are none
};

/// Bounded by `maxPoints` per rank; ends early, with nothing, once `cancelled`.
Curve readCurve(const std::filesystem::path& store, const CurveRequest& request, int maxPoints,
                const std::function<bool()>& cancelled);

} // namespace rankscope::ui
