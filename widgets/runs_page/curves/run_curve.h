// SPDX-License-Identifier: GPL-3.0-or-later
// The curve of one run in a comparison, and how its metric is called.
#pragma once

#include "core/store/tables/metrics.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <optional>

namespace rankscope::ui {

/// In the user's language: "Loss", "Collective wait".
QString metricTitle(store::Metric metric);

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

/// Reads a curve of at most `maxPoints` points per rank. Over steps, it begins with what the runs before a resumed run
/// measured. Ends early, with nothing, once `cancelled`.
Curve readCurve(const std::filesystem::path& store, const CurveRequest& request, int maxPoints,
                const std::function<bool()>& cancelled);

} // namespace rankscope::ui
