// SPDX-License-Identifier: GPL-3.0-or-later
// The curve of one run in a comparison, or of several as one, and how its metric is called.
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

struct CompareReply {
    CurveRequest request;
    std::vector<Curve> curves; ///< by run
};
using CompareReplyPtr = std::shared_ptr<const CompareReply>;

/// The curves of the runs in these folders; not all of them once `cancelled`.
CompareReplyPtr readCurves(const QStringList& dirs, const CurveRequest& request,
                           const std::function<bool()>& cancelled);

/// At each place where one of the runs has a value: the mean over the runs of their values there, the smallest and the
/// largest of them, and as `count` how many runs have one. Between two of its values a run is a straight line; before
/// its first, after its last and beside a gap it has none, so that runs which ended early do not bend the mean.
/// `notFinite` counts the runs without a finite value. At most `kMostGroupPoints` places.
Samples meanOverRuns(std::span<const Samples* const> runs);

constexpr std::size_t kMostGroupPoints = 8192;

} // namespace rankscope::ui
