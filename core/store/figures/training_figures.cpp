// SPDX-License-Identifier: Apache-2.0
#include "core/store/figures/training_figures.h"

#include "core/base/values/result.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::store {

static constexpr int kMostValidations = 1'000'000;

ValidationFigures figuresOf(std::span<const ValidationRow> rows) {
    ValidationFigures figures;
    for (const auto& row : rows)
        if (std::isfinite(row.loss) && (!figures.best || row.loss < figures.best->loss))
            figures.best = row;
    if (!rows.empty())
        figures.last = rows.back();
    return figures;
}

double StepRate::perSecond() const {
    return lastedNs > 0 ? steps / (lastedNs * 1e-9) : TrainingFigures::kNone;
}

double TrainingFigures::samplesPerSecond() const {
    return samples > 0 && rate.lastedNs > 0 ? samples / (rate.lastedNs * 1e-9) : kNone;
}

/// Returns the sum of a point's values.
static double sumOf(const SeriesPoint& point) {
    return point.count > 0 ? point.mean * static_cast<double>(point.count) : 0;
}

static StepRate rateOf(const SeriesPoint& stepTime) {
    return {static_cast<double>(stepTime.count), sumOf(stepTime)};
}

Result<StepRate> stepRate(RunReader& reader, std::span<const RankSummary> ranks) {
    if (ranks.empty() || ranks.front().lastStep < 0)
        return StepRate{};
    constexpr std::array metrics{Metric::StepTime};
    const auto& first = ranks.front();
    RS_TRY_ASSIGN(const auto points, reader.overall(metrics, first, first.lastStep));
    return rateOf(points.front());
}

Result<TrainingFigures> readTrainingFigures(RunReader& reader, std::span<const RankSummary> ranks) {
    TrainingFigures figures;
    RS_TRY_ASSIGN(const auto validations, reader.validations(-1, kMostValidations));
    figures.validation = figuresOf(validations);
    if (ranks.empty() || ranks.front().lastStep < 0)
        return figures;
    const auto& first = ranks.front();
    figures.lastLoss = first.lastLoss.value_or(TrainingFigures::kNone);
    constexpr std::array metrics{Metric::Loss, Metric::StepTime, Metric::BatchSize}; // of all ranks: one statement
    for (const RankSummary& rank : ranks) {
        RS_TRY_ASSIGN(const auto points, reader.overall(metrics, rank, first.lastStep));
        figures.samples += sumOf(points[2]);
        if (&rank != &first)
            continue;
        figures.bestLoss = points[0].min;
        figures.rate = rateOf(points[1]);
    }
    return figures;
}

} // namespace rankscope::store
