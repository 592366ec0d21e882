// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/memory_estimate.h"

#include <algorithm>
#include <cmath>

namespace rankscope::plan {
namespace {

constexpr double kFloat = 4;
constexpr double kMebibyte = 1024.0 * 1024.0;
// CPU: measured with a tiny model; GPU: a guess (the driver's context with NCCL), never measured
constexpr double kProgramOnCpu = 190 * kMebibyte, kProgramOnGpu = 900 * kMebibyte;
constexpr double kUnlimitedSeconds = 30;

/// Returns how many numbers one encoder layer keeps for backward, per frame of its input.
double keptByLayer(const config::EncoderConfig& c, double frames) {
    const double d = c.dModel, hidden = d * c.ffExpansionFactor;
    const double norms = 5 * d;
    const double feedForward = 2 * (d + 2 * hidden); // inputs of both products and of SiLU
    // inputs of q, k, v and the output product, and q, k and v themselves
    const double attention = 6 * d;
    const double scores = 2.0 * c.nHeads * frames;   // probabilities, before and after dropout
    const double convolution = 7 * d;                // inputs of both products, GLU, depthwise, norm, SiLU
    const double dropout = (4 * d + 2 * hidden) / 4; // one byte per number
    return norms + feedForward + attention + scores + convolution + dropout;
}

double keptBySubsampling(const config::EncoderConfig& c, double melFrames) {
    const double channels = c.subsamplingConvChannels > 0 ? c.subsamplingConvChannels : c.dModel;
    if (c.subsamplingFactor == 1 || c.subsampling.starts_with("stacking"))
        return melFrames * c.featIn;
    double kept = 0, frames = melFrames, features = c.featIn;
    for (int factor = c.subsamplingFactor, stage = 0; factor > 1; factor /= 2, ++stage) {
        frames /= 2;
        features /= 2;
        kept += (c.subsampling == "dw_striding" && stage > 0 ? 2 : 1) * channels * frames * features;
    }
    return kept;
}

double statesOfOptimizer(const config::OptimConfig& optim) {
    if (optim.name == "sgd")
        return optim.momentum > 0 ? 1 : 0;
    return optim.amsgrad ? 3 : 2;
}

struct StateBytes {
    double trainable = 0, all = 0; ///< numbers (trainable), bytes (all)
};

StateBytes sizesOf(const std::vector<TensorShape>& shapes) {
    StateBytes sizes;
    for (const TensorShape& tensor : shapes) {
        if (tensor.again)
            continue;
        sizes.all += static_cast<double>(tensor.count() * tensor.elementBytes);
        if (tensor.trainable)
            sizes.trainable += static_cast<double>(tensor.count());
    }
    return sizes;
}

double activations(const config::ModelConfig& model, const std::string& precision, const LargestBatch& batch) {
    const auto utterances = static_cast<double>(std::max<std::int64_t>(batch.utterances, 1));
    const double rate = static_cast<double>(model.sampleRate);
    const double melEach = batch.paddedSeconds / utterances * rate / std::max(1, model.preprocessor.hopLength());
    const double framesEach = std::ceil(melEach / std::max(1, model.encoder.subsamplingFactor));
    const double frames = framesEach * utterances, mel = melEach * utterances;
    const double products = precision == "32" ? kFloat : 3; // norms and softmax stay float32, products take half
    const double layers = frames * keptByLayer(model.encoder, framesEach) * model.encoder.nLayers;
    const double front = 4 * mel * model.preprocessor.features + keptBySubsampling(model.encoder, mel);
    // for the masked frames only: logits and their logarithms, and the gradient of both
    const double classes = static_cast<double>(model.decoder.numClasses) * model.decoder.numDecoders;
    const double decoder = 3 * 0.5 * frames * classes * kFloat;
    const double audio = 4 * batch.paddedSeconds * rate * kFloat; // clean, noisy, emphasised
    return layers * products + front * kFloat + decoder + audio;
}

} // namespace

LargestBatch largestBatchOf(const config::DatasetConfig& data) {
    const double seconds = data.maxDuration > 0 ? data.maxDuration : kUnlimitedSeconds;
    return {data.batchSize, seconds * data.batchSize};
}

MemoryPlan planMemory(const config::Recipe& recipe, const std::vector<TensorShape>& shapes, const LargestBatch& given,
                      bool onGpu) {
    const LargestBatch batch = given.utterances > 0 ? given : largestBatchOf(recipe.train);
    const StateBytes sizes = sizesOf(shapes);
    const config::ModelConfig& model = recipe.model;
    const double positions = 2.0 * model.encoder.posEmbMaxLen * model.encoder.dModel * kFloat;
    const double ready =
        recipe.train.numWorkers > 0 ? recipe.train.numWorkers * std::max(1, recipe.train.prefetchFactor) : 0;
    const double waiting = onGpu ? 0 : ready * 2 * batch.paddedSeconds * model.sampleRate * kFloat;
    const auto whole = [](double bytes) { return static_cast<std::int64_t>(bytes); };
    MemoryPlan plan;
    plan.weights = whole(sizes.all);
    plan.gradients = whole(sizes.trainable * kFloat);
    plan.optimizer = whole(sizes.trainable * kFloat * statesOfOptimizer(model.optim));
    plan.activations = whole(activations(model, recipe.trainer.precision, batch));
    plan.program = whole((onGpu ? kProgramOnGpu : kProgramOnCpu) + positions + waiting);
    plan.total = plan.weights + plan.gradients + plan.optimizer + plan.activations + plan.program;
    return plan;
}

} // namespace rankscope::plan
