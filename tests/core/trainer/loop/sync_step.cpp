// SPDX-License-Identifier: Apache-2.0
// What must be equal, and why. DDP averages the gradients of each rank's own loss, which is a mean over the rank's
// masked frames. The average of two means is the mean over all frames only if both halves have the same number of
// masked frames, so a seed is searched for which they do. Batch norm counts padded frames, so both halves contain an
// utterance of the full length. The masks are those of the joined batch: each rank's generator starts in the state that
// the joined batch's generator has at that half.
#include "tests/core/trainer/loop/sync_step.h"

#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/distributed/parallel/data_parallel.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/optim/learning_rate_schedule.h"
#include "core/trainer/optim/optimizers.h"
#include "core/trainer/ssl/nest_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <mutex>
#include <thread>

namespace rankscope::test {
namespace {

using namespace trainer;

// Before main(), because Qt Test reads the environment in a separate thread.
[[maybe_unused]] const bool kFlightRecorderOff = (disableFlightRecorder(), true);

constexpr const char* kModel = R"(
sample_rate: 16000
num_classes: 32
num_books: 1
code_dim: 8
squeeze_single: false
mask_position: pre_conv
preprocessor: {sample_rate: 16000, normalize: per_feature, window_size: 0.025, window_stride: 0.01, window: hann, features: 80, n_fft: 512, log: true, frame_splicing: 1, dither: 0.0, pad_to: 16, pad_value: 0.0}
masking: {block_size: 24, mask_prob: 0.02, feat_in: 80, freeze: true, allow_overlap: true}
quantizer: {feat_in: 80, code_dim: 8, num_books: 1, num_classes: 32, dist_fn: l2, freeze: true, squeeze_single: false, combine_time_steps: 8}
encoder: {feat_in: 80, feat_out: -1, n_layers: 2, d_model: 32, subsampling: dw_striding, subsampling_factor: 8, subsampling_conv_channels: 16, causal_downsampling: false, ff_expansion_factor: 4, self_attention_model: rel_pos, n_heads: 4, att_context_size: [-1, -1], xscaling: true, untie_biases: true, pos_emb_max_len: 5000, conv_kernel_size: 9, conv_norm_type: batch_norm, conv_context_size: null, dropout: 0.0, dropout_pre_encoder: 0.0, dropout_emb: 0.0, dropout_att: 0.0}
decoder: {feat_in: 32, num_classes: 32, num_decoders: 1, squeeze_single: false, use_bias: true}
loss: {combine_time_steps: 8, mask_threshold: 0.8, num_decoders: 1, squeeze_single: false}
optim: {name: adamw, lr: 0.001, betas: [0.9, 0.98], weight_decay: 0.001}
)";

constexpr int kHalf = 2; // utterances per rank
constexpr std::int64_t kFull = 32000;

NestInput jointInput() {
    const std::vector<std::int64_t> lengths{kFull, 24000, kFull, 19200};
    auto audio = torch::zeros({2 * kHalf, kFull});
    const auto time = torch::arange(kFull, torch::kFloat32) / 16000;
    for (int row = 0; row < 2 * kHalf; ++row) {
        const auto tone = (time * (700.0 + 380.0 * row) * (1.0 + 0.2 * time)).sin() * 0.3 +
                          (time * time * 5000.0 * (row + 1)).sin() * 0.1;
        audio[row]
            .slice(0, 0, lengths[static_cast<std::size_t>(row)])
            .copy_(tone.slice(0, 0, lengths[static_cast<std::size_t>(row)]));
    }
    const auto length = torch::tensor(lengths, torch::kInt64);
    const auto noisy = audio + 0.02 * (torch::arange(audio.numel(), torch::kFloat32) * 12.9898).sin().reshape_as(audio);
    return {audio, length, noisy, length};
}

NestInput halfOf(const NestInput& joint, int rank) {
    const auto part = [&](const torch::Tensor& all) { return all.slice(0, rank * kHalf, (rank + 1) * kHalf); };
    return {part(joint.audio), part(joint.audioLen), part(joint.noisy), part(joint.noisyLen)};
}

at::Generator generator() {
    return at::detail::getDefaultCPUGenerator();
} // a handle to the process's only generator

/// Draws masks from a given state of the process's only generator, while no other thread draws.
class MaskHooks final : public ForwardHooks {
public:
    explicit MaskHooks(torch::Tensor state) : m_state(std::move(state)) {}
    void phase(telemetry::Phase phase) override {
        static std::mutex drawing;
        if (phase == telemetry::Phase::Augment) {
            m_lock = std::unique_lock(drawing);
            generator().set_state(m_state);
        } else if (phase == telemetry::Phase::Forward) {
            m_after = generator().get_state();
            m_lock = {};
        }
    }
    const torch::Tensor& after() const { return m_after; }

private:
    torch::Tensor m_state, m_after;
    std::unique_lock<std::mutex> m_lock;
};

torch::Tensor stateOfSeed(std::uint64_t seed) {
    torch::manual_seed(seed);
    return generator().get_state().clone();
}

NestModel freshModel(const config::ModelConfig& config) {
    torch::manual_seed(7);
    NestModel model(config);
    model->train();
    return model;
}

struct StepResult {
    double loss = 0;
    NamedTensors gradients, state;
    std::string thrown;
};

void recordStep(NestModel& model, const config::ModelConfig& config, double loss, StepResult& result) {
    result.loss = loss;
    for (const auto& [name, parameter] : model->trainable()) {
        result.gradients.emplace_back(name, parameter.grad().clone());
    }
    std::vector<torch::Tensor> parameters;
    for (const auto& [name, parameter] : model->trainable()) {
        parameters.push_back(parameter);
    }
    makeOptimizer(config.optim, parameters)->step();
    for (const auto& [name, tensor] : model->stateDict()) {
        result.state.emplace_back(name, tensor.detach().clone());
    }
}

StepResult jointStep(const config::ModelConfig& config, const NestInput& input, const torch::Tensor& generator) {
    StepResult result;
    auto model = freshModel(config);
    MaskHooks hooks(generator);
    const auto loss = model->loss(model->forward(input, true, hooks));
    loss.backward();
    recordStep(model, config, loss.item<double>(), result);
    return result;
}

void rankStep(const config::ModelConfig& config, NestModel model, const NestInput& input,
              const torch::Tensor& generator, bool sync, const std::shared_ptr<ObservedGroup>& group,
              StepResult& result) {
    if (sync) {
        model->setStatsExchange(std::make_shared<ObservedStatsExchange>(group));
    }
    ReplicaState state;
    state.parameters = model->trainable();
    DataParallel parallel(group, state, {});
    MaskHooks hooks(generator);
    parallel.beforeForward(true);
    const auto loss = model->loss(model->forward(input, true, hooks));
    parallel.beforeBackward(loss, true).backward();
    parallel.afterBackward();
    recordStep(model, config, loss.item<double>(), result);
    group->barrier("end");
}

std::vector<StepResult> rankSteps(const config::ModelConfig& config, const NestInput& joint,
                                  const std::vector<torch::Tensor>& generators, bool sync) {
    auto store = c10::make_intrusive<c10d::HashStore>();
    std::vector<StepResult> results(2);
    std::vector<NestModel> models{freshModel(config), freshModel(config)}; // one generator: not in the threads
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            auto& result = results[static_cast<std::size_t>(rank)];
            GroupOptions options;
            options.collectiveTimeout = options.joinTimeout = std::chrono::seconds(60);
            auto group =
                ObservedGroup::over(store, rank, 2, true, options,
                                    std::make_shared<observer::RankTelemetry>(observer::RankTelemetry::detached()));
            if (!group) {
                result.thrown = group.error().message();
                return;
            }
            try {
                rankStep(config, models[static_cast<std::size_t>(rank)], halfOf(joint, rank),
                         generators[static_cast<std::size_t>(rank)], sync, std::move(*group), result);
            } catch (const std::exception& error) {
                result.thrown = error.what();
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    return results;
}

/// States of the generator for the two halves, from a seed whose masks give both the same number of counted frames.
struct EqualMasks {
    std::vector<torch::Tensor> generators;
    std::int64_t frames = 0;
};

EqualMasks findEqualMasks(const config::ModelConfig& config, const NestInput& joint) {
    const torch::NoGradGuard noGrad;
    auto model = freshModel(config);
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        MaskHooks first(stateOfSeed(seed));
        const auto one = model->forward(halfOf(joint, 0), true, first).counted.sum().item<std::int64_t>();
        MaskHooks second(first.after());
        const auto two = model->forward(halfOf(joint, 1), true, second).counted.sum().item<std::int64_t>();
        if (one == two && one >= 4) {
            return {{stateOfSeed(seed), first.after()}, one};
        }
    }
    return {};
}

double deviation(const NamedTensors& expected, const NamedTensors& actual, std::string& worstName) {
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& want = expected[i].second;
        const double allowed = 1e-4 * want.abs().max().item<double>() + 1e-5;
        const double share = (actual[i].second - want).abs().max().item<double>() / allowed;
        if (share > worst || share != share) {
            worst = share;
            worstName = expected[i].first;
        }
    }
    return worst;
}

void compareStates(const NamedTensors& expected, const NamedTensors& actual, StepComparison& comparison) {
    std::int64_t within = 0, weights = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto difference = (actual[i].second.to(torch::kFloat64) - expected[i].second.to(torch::kFloat64)).abs();
        if (expected[i].first.find("running_") != std::string::npos) {
            const double scale = expected[i].second.abs().max().item<double>();
            comparison.worstStatistic = std::max(comparison.worstStatistic, difference.max().item<double>() / scale);
        } else {
            within += (difference <= 1e-4).sum().item<std::int64_t>();
            weights += difference.numel();
        }
    }
    comparison.weightsWithin = static_cast<double>(within) / static_cast<double>(weights);
}

} // namespace

StepComparison compareStep() {
    StepComparison comparison;
    const auto recipe = config::readRecipe(kModel, "sync_step.yaml");
    if (!recipe) {
        comparison.problem = recipe.error().message();
        return comparison;
    }
    const auto& config = recipe->model;
    const NestInput joint = jointInput();
    const EqualMasks masks = findEqualMasks(config, joint);
    if (masks.generators.empty()) {
        comparison.problem = "no seed gives both halves the same number of masked frames";
        return comparison;
    }
    comparison.maskedFrames = masks.frames;
    const StepResult expected = jointStep(config, joint, masks.generators[0]);
    const auto actual = rankSteps(config, joint, masks.generators, true);
    const auto apart = rankSteps(config, joint, masks.generators, false);
    for (const auto* results : {&actual, &apart}) {
        for (const StepResult& result : *results) {
            if (!result.thrown.empty()) {
                comparison.problem = result.thrown;
                return comparison;
            }
        }
    }
    comparison.jointLoss = expected.loss;
    comparison.averagedLoss = (actual[0].loss + actual[1].loss) / 2;
    comparison.worstGradient = deviation(expected.gradients, actual[0].gradients, comparison.worstGradientName);
    compareStates(expected.state, actual[0].state, comparison);
    comparison.ranksEqual = stateHash(actual[0].state) == stateHash(actual[1].state);
    std::string ignored;
    comparison.worstWithoutSync = deviation(expected.gradients, apart[0].gradients, ignored);
    return comparison;
}

} // namespace rankscope::test
