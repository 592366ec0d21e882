// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/training_flops.h"

#include "core/plan/cost/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rankscope::plan {
namespace {

/// Returns the operations of a layer per frame of the encoder. The position table has about two rows per frame; its
/// projection is computed once per batch.
double layerFlops(const config::EncoderConfig& c, double frames, double utterances) {
    const double d = c.dModel, hidden = d * c.ffExpansionFactor;
    const double feedForward = 2 * 4 * d * hidden;
    const double projections = 4 * 2 * d * d + 2 * 2 * d * d / std::max(1.0, utterances);
    const double scores = (c.selfAttentionModel == "rel_pos" ? 8 : 4) * frames * d; // keys, positions, values
    const double convolution = 3 * 2 * d * d + 2.0 * c.convKernelSize * d;
    return feedForward + projections + scores + convolution;
}

double subsamplingFlops(const config::EncoderConfig& c, double mel) {
    const double d = c.dModel, channels = c.subsamplingConvChannels > 0 ? c.subsamplingConvChannels : d;
    if (c.subsamplingFactor == 1 || c.subsampling.starts_with("stacking"))
        return 2 * mel * c.featIn * d;
    double flops = 0, frames = mel, features = c.featIn;
    for (int factor = c.subsamplingFactor, stage = 0; factor > 1; factor /= 2, ++stage) {
        frames /= 2;
        features /= 2;
        const double outputs = frames * features * channels;
        flops += 2 * 9 * outputs * (stage == 0 || c.subsampling == "dw_striding" ? 1 : channels);
        if (stage > 0 && c.subsampling == "dw_striding")
            flops += 2 * outputs * channels;
    }
    return flops + 2 * frames * features * channels * d;
}

struct BatchShape {
    double utterances = 0, secondsEach = 0;
};

/// Returns the mean batch of the first epoch; without one, batch_size utterances of max_duration.
BatchShape usualBatch(const Plan& plan, const config::Recipe& recipe) {
    double batches = 0, utterances = 0, seconds = 0;
    for (const RankShare& share : plan.train.ranks) {
        batches += static_cast<double>(share.batches);
        utterances += static_cast<double>(share.utterances);
        seconds += share.paddedSeconds;
    }
    if (batches > 0 && utterances > 0)
        return {utterances / batches, seconds / utterances};
    const LargestBatch largest = largestBatchOf(recipe.train);
    const auto size = static_cast<double>(std::max<std::int64_t>(1, largest.utterances));
    return {size, largest.paddedSeconds / size};
}

} // namespace

std::string flopsText(double flops) {
    static constexpr const char* units[] = {"flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop", "Eflop"};
    std::size_t unit = 0;
    while (std::abs(flops) >= 999.5 && unit + 1 < std::size(units)) {
        flops /= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}", flops, units[unit]);
}

double trainingFlops(const config::ModelConfig& model, double utterances, double secondsEach) {
    const config::EncoderConfig& c = model.encoder;
    const double mel = secondsEach * model.sampleRate / std::max(1, model.preprocessor.hopLength());
    const double frames = std::ceil(mel / std::max(1, c.subsamplingFactor));
    const double decoder = 2.0 * c.dModel * model.decoder.numClasses * model.decoder.numDecoders;
    const double each = subsamplingFlops(c, mel) + frames * (c.nLayers * layerFlops(c, frames, utterances) + decoder);
    return 3 * utterances * each;
}

SpeedPlan speedAt(const Plan& plan, const config::Recipe& recipe, double flopsPerSecond) {
    SpeedPlan speed;
    const BatchShape batch = usualBatch(plan, recipe);
    const int accumulate = std::max(1, recipe.trainer.accumulateGradBatches);
    const double ranks = std::max(1, plan.ranks) * std::max(1, plan.nodes);
    speed.ofManifest = plan.train.batchesPerRank > 0;
    speed.flopsPerStep = accumulate * trainingFlops(recipe.model, batch.utterances, batch.secondsEach);
    speed.flopsPerSecond = flopsPerSecond;
    speed.stepSeconds = speed.flopsPerStep / flopsPerSecond;
    speed.epochSeconds = static_cast<double>(plan.steps.stepsPerEpoch) * speed.stepSeconds;
    const double speech = 1 - plan.train.paddingShare;
    speed.audioPerSecond = ranks * accumulate * batch.utterances * batch.secondsEach * speech / speed.stepSeconds;
    return speed;
}

std::optional<SpeedPlan> estimatedSpeed(const Plan& plan, const config::Recipe& recipe, const TargetMachine& target) {
    const bool half = recipe.trainer.precision != "32" && recipe.trainer.precision != "64";
    const double peak = plan.device == "cuda" ? (half ? target.halfFlops : target.singleFlops) : 0;
    if (peak <= 0)
        return std::nullopt;
    const double computing = std::clamp(1 - plan.train.imbalance, 0.01, 1.0);
    SpeedPlan speed = speedAt(plan, recipe, kAssumedShare * peak * computing);
    speed.peakFlops = peak;
    speed.share = kAssumedShare;
    return speed;
}

} // namespace rankscope::plan
