// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/run_figures.h"

#include "core/base/values/result.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rankscope::ui {

namespace {

constexpr int kMostValidations = 100'000;

/// A whole series as one figure.
struct Whole {
    double sum = 0, min = RunFigures::kNone;
    std::int64_t count = 0;
};

Result<Whole> whole(store::RunReader& reader, store::Metric metric, int rank, std::int64_t lastStep) {
    RS_TRY_ASSIGN(auto points, reader.series(metric, rank, 0, lastStep, 1));
    Whole result;
    for (const auto& point : points) {
        if (point.count == 0)
            continue;
        result.sum += point.mean * static_cast<double>(point.count);
        result.min = std::isnan(result.min) ? point.min : std::min(result.min, point.min);
        result.count += point.count;
    }
    return result;
}

Result<void> readRates(store::RunReader& reader, const std::vector<store::RankSummary>& ranks, RunFigures& figures) {
    const int first = ranks.front().rank;
    const std::int64_t last = ranks.front().lastStep;
    RS_TRY_ASSIGN(const auto loss, whole(reader, store::Metric::Loss, first, last));
    RS_TRY_ASSIGN(const auto time, whole(reader, store::Metric::StepTime, first, last));
    figures.bestLoss = loss.min;
    if (time.count == 0 || time.sum <= 0)
        return {};
    const double seconds = time.sum * 1e-9;
    figures.stepsPerSecond = static_cast<double>(time.count) / seconds;
    double samples = 0;
    for (const auto& rank : ranks) {
        RS_TRY_ASSIGN(const auto size, whole(reader, store::Metric::BatchSize, rank.rank, last));
        samples += size.sum;
    }
    if (samples > 0)
        figures.samplesPerSecond = samples / seconds;
    return {};
}

} // namespace

Result<RunFigures> readFigures(store::RunReader& reader) {
    RS_TRY_ASSIGN(const auto ranks, reader.ranks());
    RS_TRY_ASSIGN(const auto incidents, reader.incidents());
    RS_TRY_ASSIGN(const auto memory, reader.memory());
    RS_TRY_ASSIGN(const auto validations, reader.validations(-1, kMostValidations));
    RunFigures figures;
    figures.incidents = static_cast<int>(incidents.size());
    std::copy_if(incidents.begin(), incidents.end(), std::back_inserter(figures.open),
                 [](const auto& one) { return one.closed == diagnosis::CloseReason::Open; });
    for (const auto& one : memory)
        figures.memoryBytes = std::max(figures.memoryBytes, one.mostRssBytes);
    for (const auto& one : validations) {
        if (!std::isfinite(one.loss))
            continue;
        figures.lastValidation = one.loss;
        figures.bestValidation =
            std::isnan(figures.bestValidation) ? one.loss : std::min(figures.bestValidation, one.loss);
    }
    if (ranks.empty())
        return figures;
    figures.lastStep = ranks.front().lastStep;
    figures.waitedNs = 0;
    for (const auto& rank : ranks) {
        figures.lastStep = std::min(figures.lastStep, rank.lastStep);
        figures.waitedNs += rank.waitedNs;
        if (rank.heldNs > figures.heldNs) {
            figures.heldNs = rank.heldNs;
            figures.holder = rank.rank;
        }
    }
    if (figures.lastStep < 0)
        return figures;
    figures.lastLoss = ranks.front().lastLoss;
    RS_TRY(readRates(reader, ranks, figures));
    return figures;
}

} // namespace rankscope::ui
