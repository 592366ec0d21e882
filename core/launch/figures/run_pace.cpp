// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/run_pace.h"

#include "core/config/recipe/recipe.h"
#include "core/telemetry/board/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::launch {

using store::Metric;

/// Returns the audio samples of one rank in these steps.
static double samplesOf(store::RunReader& reader, int rank, store::StepInterval steps) {
    const auto points = reader.series(Metric::SamplesPerSecond, rank, steps.first, steps.last, 4 * kPaceSteps);
    double samples = 0;
    if (points)
        for (const store::SeriesPoint& point : *points)
            if (point.count > 0 && std::isfinite(point.mean))
                samples += point.mean * static_cast<double>(point.endNs - point.beginNs) * 1e-9;
    return samples;
}

RunPace readPace(store::RunReader& reader, std::span<const store::RankSummary> ranks,
                 std::span<const diagnosis::Incident> incidents, double sampleRate) {
    RunPace pace;
    if (ranks.empty() || static_cast<int>(ranks.size()) < reader.meta().worldSize)
        return pace;
    std::int64_t last = INT64_MAX, first = 0;
    for (const store::RankSummary& rank : ranks) {
        last = std::min(last, rank.lastStep);
        first = std::max(first, rank.firstStep);
    }
    const store::StepInterval steps{std::max(first, last - kPaceSteps), last};
    if (last < 1)
        return pace;
    const auto points = reader.series(Metric::StepTime, ranks.front().rank, steps.first, steps.last, 4 * kPaceSteps);
    if (!points || points->empty())
        return pace;
    const std::int64_t start = reader.meta().startNs;
    std::vector<std::int64_t> ends{start + points->front().beginNs};
    for (const store::SeriesPoint& point : *points)
        ends.push_back(start + point.endNs);
    pace.steps = diagnosis::paceOf(ends, diagnosis::stalledIntervals(incidents));
    if (!(sampleRate > 0))
        return pace;
    double samples = 0;
    for (const store::RankSummary& rank : ranks)
        samples += samplesOf(reader, rank.rank, steps);
    pace.audioPerStep = samples / sampleRate / static_cast<double>(points->size());
    return pace;
}

double sampleRateOf(const RunPaths& run) {
    const auto recipe = recordedRecipe(run);
    return recipe ? recipe->model.sampleRate : 0;
}

std::int64_t stepsPerEpochOf(const RunPaths& run) {
    auto board = telemetry::BoardReader::open(run.board(0));
    return board ? board->snapshot().stepsPerEpoch : 0;
}

std::optional<std::int64_t> epochAfter(std::int64_t stepsDone, std::int64_t stepsPerEpoch) {
    if (stepsPerEpoch <= 0 || stepsDone < 0)
        return std::nullopt;
    return stepsDone / stepsPerEpoch;
}

std::int64_t leftOfEpoch(std::int64_t stepsDone, std::int64_t stepsPerEpoch, std::int64_t totalSteps) {
    if (stepsPerEpoch <= 0 || stepsDone < 0)
        return 0;
    const std::int64_t left = stepsPerEpoch - stepsDone % stepsPerEpoch;
    return totalSteps > 0 ? std::clamp<std::int64_t>(totalSteps - stepsDone, 0, left) : left;
}

std::int64_t timeOf(std::int64_t steps, double stepsPerSecond) {
    constexpr double kMostNs = 9e18;
    if (steps <= 0 || !(stepsPerSecond > 0))
        return 0;
    return static_cast<std::int64_t>(std::min(static_cast<double>(steps) / stepsPerSecond * 1e9, kMostNs));
}

std::string audioRateText(double audioPerSecond) {
    constexpr double kHour = 3600;
    if (!(audioPerSecond > 0) || !std::isfinite(audioPerSecond))
        return {};
    if (audioPerSecond < 0.01 * kHour)
        return fmt::format("{:.3g} x real time", audioPerSecond);
    const double hours = audioPerSecond / kHour;
    return hours < 10 ? fmt::format("{:.2f} h of audio/s", hours) : fmt::format("{:.0f} h of audio/s", hours);
}

} // namespace rankscope::launch
