// SPDX-License-Identifier: GPL-3.0-or-later
// The curve of one run in a comparison, or the mean of several, and the name of its metric.
#pragma once

#include "core/store/tables/metrics.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::ui {

/// Returns the metric's name in the user's language: "Loss", "Collective wait".
QString metricTitle(store::Metric metric);

struct CurveRequest {
    std::optional<store::Metric> metric = store::Metric::Loss; ///< none: the validation loss
    CurveAxis axis = CurveAxis::Step;
    bool meanOverRanks = true; ///< otherwise rank 0 alone
    friend bool operator==(const CurveRequest&, const CurveRequest&) = default;
};

struct RunCurve {
    Samples samples; ///< in the metric's unit; min and max over the ranks and steps of a point
    QString missing; ///< why there are no samples
};

/// Reads a curve of at most `maxPoints` points per rank. Over steps, the curve of a resumed run begins with those of
/// the earlier runs. Returns early, with an empty curve, once `cancelled` is set.
RunCurve readCurve(const std::filesystem::path& store, const CurveRequest& request, int maxPoints,
                   const std::function<bool()>& cancelled);

struct CompareReply {
    CurveRequest request;
    std::vector<RunCurve> curves; ///< by run
};
using CompareReplyPtr = std::shared_ptr<const CompareReply>;

/// Reads the curves of the runs in these folders; stops early once `cancelled` is set.
CompareReplyPtr readCurves(const QStringList& dirs, const CurveRequest& request,
                           const std::function<bool()>& cancelled);

/// Returns, for each x at which one of the runs has a value, the mean, minimum and maximum over the runs, and in
/// `count` the number of runs that have a value. A run is interpolated linearly between its values; it has none before
/// its first, after its last and next to a gap, so that runs that ended early do not bend the mean. `notFinite` counts
/// the runs without a finite value. There are at most `kMostGroupPoints` places.
Samples meanOverRuns(std::span<const Samples* const> runs);

constexpr std::size_t kMostGroupPoints = 8192;

} // namespace rankscope::ui
