// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/first_batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rankscope::trainer {
namespace {

constexpr const char* kFirst = "first_batch";
constexpr const char* kShape = "shape";

std::string shapeText(const FirstBatch& batch) {
    return fmt::format("[{}]", fmt::join(batch.shape, ", "));
}

std::string typeOf(const std::string& device) {
    return device.substr(0, device.find(':'));
}

CheckResult shapeOf(const FirstBatch& b) {
    const auto bad = [](std::string text) { return CheckResult::failed(kFirst, false, std::move(text)); };
    if (b.device != b.expectedDevice)
        return bad(fmt::format("the encoder's input lies on {}, this rank computes on {}", b.device, b.expectedDevice));
    if (b.shape[1] != b.features)
        return bad(
            fmt::format("the encoder's input is {}, model.preprocessor.features is {}", shapeText(b), b.features));
    if (b.shape[0] < 1 || b.shape[2] < 1)
        return bad(fmt::format("the encoder's input is {}: it is empty", shapeText(b)));
    if (b.configuredSize > 0 && b.shape[0] > b.configuredSize)
        return bad(
            fmt::format("the encoder's input is {}, model.train_ds.batch_size is {}", shapeText(b), b.configuredSize));
    return CheckResult::passed(kFirst, fmt::format("{} on {}", shapeText(b), b.device));
}

CheckResult lengthsOf(const FirstBatch& b) {
    constexpr const char* kName = "batch_lengths";
    const auto bad = [](std::string text) { return CheckResult::failed(kName, false, std::move(text)); };
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(b.shape[0], 0));
    if (b.samples.size() != size || b.lengths.size() != size)
        return bad(fmt::format("the batch has {} rows, {} utterances and {} lengths", size, b.samples.size(),
                               b.lengths.size()));
    for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t frames = b.samples[i] / std::max<std::int64_t>(b.hop, 1);
        if (b.lengths[i] < 1 || b.lengths[i] > b.shape[2])
            return bad(
                fmt::format("utterance {} has {} frames, the encoder's input has {}", i, b.lengths[i], b.shape[2]));
        if (std::abs(b.lengths[i] - frames) > 1) // framing without padding gives one frame more or less
            return bad(fmt::format("utterance {} has {} frames, but its {} samples make {}", i, b.lengths[i],
                                   b.samples[i], frames));
    }
    const auto [low, high] = std::minmax_element(b.lengths.begin(), b.lengths.end());
    return CheckResult::passed(kName, fmt::format("{} utterances of {} to {} frames", size, *low, *high));
}

CheckResult finiteOf(const FirstBatch& b) {
    constexpr const char* kName = "finite_input";
    if (b.notFinite > 0)
        return CheckResult::failed(
            kName, false, fmt::format("{} values of the encoder's first input are NaN or infinite", b.notFinite));
    return CheckResult::passed(kName, "no NaN and no infinity in the encoder's first input");
}

std::string valueOf(const RankFigures& rank, const std::string& key) {
    const auto found =
        std::find_if(rank.figures.begin(), rank.figures.end(), [&](const Figure& f) { return f.key == key; });
    return found == rank.figures.end() ? "not told" : found->value;
}

} // namespace

std::vector<CheckResult> checkFirstBatch(const FirstBatch& batch) {
    return {shapeOf(batch), lengthsOf(batch), finiteOf(batch)};
}

std::vector<Figure> figuresOf(const FirstBatch& batch) {
    std::vector<Figure> figures{{kFirst, "features", std::to_string(batch.shape[1]), false},
                                {kFirst, "device type", typeOf(batch.device), false}};
    if (batch.configuredSize > 0)
        figures.push_back({kFirst, "batch size", std::to_string(batch.shape[0]), false});
    figures.push_back({kShape, kShape, shapeText(batch), false}); // lengths may differ
    return figures;
}

CheckResult compareFirstBatches(std::span<const RankFigures> all) {
    const auto results = compareFigures(all);
    const auto found = std::find_if(results.begin(), results.end(), [](const auto& r) { return r.name == kFirst; });
    if (found == results.end())
        return CheckResult::skipped(kFirst, "rank 0 told nothing of its first batch");
    if (found->status != telemetry::CheckStatus::Passed)
        return *found;
    std::vector<std::string> shapes;
    for (const RankFigures& rank : all)
        shapes.push_back(valueOf(rank, kShape));
    return CheckResult::passed(kFirst, fmt::format("{}, {}", valuesByRank(shapes), valueOf(all[0], "device type")));
}

} // namespace rankscope::trainer
