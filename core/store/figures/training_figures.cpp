// SPDX-License-Identifier: Apache-2.0
#include "core/store/figures/training_figures.h"

#include "core/base/values/result.h"

#include <algorithm>
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

Result<StepRate> stepRate(RunReader& reader, std::span<const RankSummary> ranks) {
    StepRate rate;
    if (ranks.empty() || ranks.front().lastStep < 0)
        return rate;
    const auto& first = ranks.front();
    RS_TRY_ASSIGN(const auto points, reader.series(Metric::StepTime, first.rank, 0, first.lastStep, 1));
    for (const auto& point : points) {
        if (point.count == 0)
            continue;
        rate.steps += static_cast<double>(point.count);
        rate.lastedNs += point.mean * static_cast<double>(point.count);
    }
    return rate;
}

Result<TrainingFigures> readTrainingFigures(RunReader& reader, std::span<const RankSummary> ranks) {
    TrainingFigures figures;
    RS_TRY_ASSIGN(const auto validations, reader.validations(-1, kMostValidations));
    figures.validation = figuresOf(validations);
    if (ranks.empty() || ranks.front().lastStep < 0)
        return figures;
    const auto& first = ranks.front();
    figures.lastLoss = first.lastLoss.value_or(TrainingFigures::kNone);
    RS_TRY_ASSIGN(const auto losses, reader.series(Metric::Loss, first.rank, 0, first.lastStep, 1));
    for (const auto& point : losses)
        if (point.count > 0)
            figures.bestLoss = std::isnan(figures.bestLoss) ? point.min : std::min(figures.bestLoss, point.min);
    RS_TRY_ASSIGN(figures.rate, stepRate(reader, ranks));
    return figures;
}

} // namespace rankscope::store
