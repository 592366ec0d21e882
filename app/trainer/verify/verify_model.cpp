// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/verify/verify_model.h"

#include "core/base/values/result.h"
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"
#include "core/trainer/optim/learning_rate_schedule.h"
#include "core/trainer/optim/optimizers.h"

#include <ATen/CPUGeneratorImpl.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>

namespace rankscope::trainer {
namespace {

constexpr std::size_t kMaxSteps = 10000;

template <class Number>
Result<std::vector<Number>> listOf(const SafeTensors& file, const char* key, const std::string& path) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
        return fail(Errc::BadInput, {"metadata {} is missing: this is not a NeMo reference", key}, path);
    if (found->second.find("NaN") != std::string::npos)
        return fail(Errc::BadInput,
                    {"metadata {} contains NaN: one of its steps has no masked frame; make the reference from longer "
                     "audio",
                     key},
                    path);
    const auto list = nlohmann::json::parse(found->second, nullptr, false);
    std::vector<Number> out;
    if (list.is_array())
        for (const auto& item : list)
            if (item.is_number())
                out.push_back(item.get<Number>());
    if (!list.is_array() || out.size() != list.size() || out.empty() || out.size() > kMaxSteps)
        return fail(Errc::Malformed, {"metadata {} is not a list of numbers", key}, path);
    return out;
}

Result<void> require(const SafeTensors& file, const std::vector<std::string>& names, const std::string& path) {
    for (const auto& name : names)
        if (!file.find(name).defined())
            return fail(Errc::BadInput, {"tensor {} is missing: this is not a NeMo reference", name}, path);
    return {};
}

/// Checks for audio [B, T] with lengths [B] between 1 and T.
Result<void> checkSignal(const torch::Tensor& audio, const torch::Tensor& len, const char* name,
                         const std::string& path) {
    if (audio.dim() != 2 || audio.scalar_type() != torch::kFloat32 || audio.numel() == 0)
        return fail(Errc::Malformed, {"tensor {} is not float32 audio [batch, samples]", name}, path);
    if (len.dim() != 1 || len.scalar_type() != torch::kInt64 || len.numel() != audio.size(0))
        return fail(Errc::Malformed, {"tensor {}_len is not a list of {} lengths", name, audio.size(0)}, path);
    if (len.min().item<std::int64_t>() < 1 || len.max().item<std::int64_t>() > audio.size(1))
        return fail(Errc::Malformed, {"tensor {}_len contains a length outside the audio", name}, path);
    return {};
}

} // namespace

Result<Reference> readReference(const std::string& path) {
    RS_TRY_ASSIGN(auto file, readSafetensors(path));
    Reference ref{std::move(file), {}, {}, {}, {}, {}};
    auto losses = listOf<double>(ref.file, "losses", path);
    RS_TRY_ASSIGN(auto rates, losses ? listOf<double>(ref.file, "lrs", path) : losses);
    RS_TRY_ASSIGN(auto seeds, listOf<std::uint64_t>(ref.file, "seeds", path));
    if (losses->size() != seeds.size() || rates.size() != seeds.size())
        return fail(Errc::Malformed, "metadata losses, lrs and seeds have different lengths", path);
    ref.losses = *losses;
    ref.rates = rates;
    ref.seeds = seeds;
    if (const auto nemo = ref.file.metadata.find("nemo"); nemo != ref.file.metadata.end())
        ref.nemo = nemo->second;

    std::vector<std::string> names{"in.audio",        "in.audio_len",  "in.noisy_audio",  "in.noisy_audio_len",
                                   "out.mel",         "out.mel_len",   "out.noisy_mel",   "out.noisy_mel_len",
                                   "out.tokens",      "out.log_probs", "out.encoded_len", "eval.log_probs",
                                   "eval.encoded_len"};
    for (std::size_t i = 0; i < ref.steps(); ++i)
        names.push_back(Reference::maskName(i));
    RS_TRY(require(ref.file, names, path));
    ref.input = {ref.file.find("in.audio"), ref.file.find("in.audio_len"), ref.file.find("in.noisy_audio"),
                 ref.file.find("in.noisy_audio_len")};
    RS_TRY(checkSignal(ref.input.audio, ref.input.audioLen, "in.audio", path));
    RS_TRY(checkSignal(ref.input.noisy, ref.input.noisyLen, "in.noisy_audio", path));
    if (ref.input.audio.sizes() != ref.input.noisy.sizes())
        return fail(Errc::Malformed, "tensors in.audio and in.noisy_audio differ in shape", path);
    return ref;
}

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kWeightNear = 1e-3;
constexpr double kRates = 1e-9;

struct Tolerances {
    double values;                           ///< mel, log-probabilities, losses
    double gradientShare, gradientFloor;     ///< share of the tensor's largest value, plus a floor
    double statisticsShare, statisticsFloor; ///< the same, after all steps, with weights that may differ
    double weightShare;                      ///< per cent of the weights that must be within kWeightNear
    double tokenShare;                       ///< share of tokens that may differ: two codes can be equally near
};
constexpr Tolerances kOnCpu{1e-4, 1e-4, 1e-5, 1e-3, 1e-4, 99.0, 0.0};
// A different order of summation switches single ReLUs of the sub-sampling, and AdamW makes a full step from a
// gradient's sign.
constexpr Tolerances kOnGpu{1e-3, 1e-2, 1e-4, 1e-2, 1e-3, 95.0, 0.005};
/// A convolution's bias only shifts the mean that the following batch norm sees: its gradient is only rounding noise,
/// which Adam still turns into a full step. If the model's noise shows that, a mean may differ by this share of the
/// largest one.
constexpr double kNoisyMeanShare = 0.25;
constexpr double kNoiseTimes = 4;            ///< two programs may differ by this many times the noise
constexpr double kLastBit = 1.0 / (1 << 23); ///< of a float32
constexpr std::uint64_t kNudgeSeed = 1;

/// Returns the largest absolute difference; infinite if shapes differ, NaN if a value is not a number.
double difference(const torch::Tensor& a, const torch::Tensor& b) {
    if (a.sizes() != b.sizes())
        return kInfinite;
    if (a.numel() == 0)
        return 0;
    const auto exact = [](const torch::Tensor& t) { return t.to(torch::kCPU, torch::kFloat64); };
    return (exact(a) - exact(b)).abs().max().item<double>();
}

/// Returns the number of elements that differ; infinite if the shapes differ.
double unequal(const torch::Tensor& a, const torch::Tensor& b) {
    if (a.sizes() != b.sizes())
        return kInfinite;
    const auto whole = [](const torch::Tensor& t) { return t.to(torch::kCPU, torch::kInt64); };
    return static_cast<double>(whole(a).ne(whole(b)).sum().item<std::int64_t>());
}

/// Keeps the worst of several figures of one kind. NaN is worse than anything.
void keepWorst(VerifyCheck& check, double value, double limit, const std::string& tensor,
               std::optional<double> noise = {}) {
    const auto badness = [](double v, double l) { return std::isnan(v) ? kInfinite : l > 0 ? v / l : v; };
    if (check.tensor.empty() || badness(value, limit) > badness(check.worst, check.limit)) {
        check.worst = value;
        check.limit = limit;
        check.tensor = tensor;
        check.noise = noise;
    }
}

/// The same, with a limit that allows for the model's own noise: see verifyModel().
void keepWorstNoisy(VerifyCheck& check, double value, double limit, double noise, const std::string& tensor,
                    double most = 0) {
    const double allowed = std::isfinite(noise) ? std::max(limit, kNoiseTimes * noise) : limit;
    keepWorst(check, value, std::min(allowed, std::max(most, kVerifyMostNoise * limit)), tensor, noise);
}

/// Moves each trainable weight up or down by its last bit, at random with a fixed seed, to imitate rounding.
StateDict nudged(StateDict state, const NamedTensors& trainable) {
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(kNudgeSeed);
    std::set<std::string> names;
    for (const auto& item : trainable)
        names.insert(item.first);
    for (auto& [name, tensor] : state) {
        if (!names.contains(name) || tensor.scalar_type() != torch::kFloat32)
            continue;
        const auto up = torch::empty_like(tensor).random_(0, 2, generator); // 0 or 1
        tensor = tensor + tensor * (up * 2 - 1) * kLastBit;
    }
    return state;
}

bool isStatistic(const std::string& name) {
    return name.ends_with(".running_mean") || name.ends_with(".running_var");
}

/// Figures of a second computation, which give the noise of the first.
struct Figures {
    torch::Tensor logProbs;
    std::vector<double> losses;
    std::map<std::string, torch::Tensor> gradients, statistics;

    static double apart(const std::map<std::string, torch::Tensor>& of, const std::string& name,
                        const torch::Tensor& value) {
        const auto found = of.find(name);
        return found == of.end() ? 0.0 : difference(found->second, value);
    }
};

/// Trains the model for the reference's steps and evaluates it.
class Training {
public:
    Training(NestModel& model, const config::ModelConfig& config, const Reference& reference, const NestInput& input)
        : m_model(model), m_reference(reference), m_input(input), m_trainable(model->trainable()),
          m_schedule(config.optim) {
        for (const auto& item : m_trainable)
            m_parameters.push_back(item.second);
        m_optimizer = makeOptimizer(config.optim, m_parameters);
    }

    struct TrainedStep {
        NestOutput out;
        double loss = 0, rate = 0;
    };

    /// Runs forward and backward of step `i`: sets gradients, leaves weights unchanged.
    TrainedStep begin(std::size_t i) {
        torch::manual_seed(m_reference.seeds[i]);
        TrainedStep step{m_model->forward(m_input, true, m_hooks)};
        const auto loss = m_model->loss(step.out);
        releaseGradients(m_parameters);
        loss.backward();
        step.loss = loss.item<double>();
        step.rate = m_schedule.at(static_cast<std::int64_t>(i));
        return step;
    }
    void end(const TrainedStep& step) {
        setLearningRate(*m_optimizer, step.rate);
        m_optimizer->step();
    }

    NestOutput evaluated(const StateDict& weights) {
        torch::NoGradGuard noGrad;
        m_model->loadStateDict(weights);
        m_model->eval();
        return m_model->forward(m_input, false, m_hooks);
    }

    std::map<std::string, torch::Tensor> gradients() const {
        std::map<std::string, torch::Tensor> out;
        for (const auto& [name, tensor] : m_trainable)
            if (tensor.grad().defined())
                out.emplace(name, tensor.grad().clone());
        return out;
    }
    std::map<std::string, torch::Tensor> statistics() const {
        std::map<std::string, torch::Tensor> out;
        for (const auto& [name, tensor] : m_model->stateDict())
            if (isStatistic(name))
                out.emplace(name, tensor.detach().clone());
        return out;
    }

private:
    NestModel& m_model;
    const Reference& m_reference;
    const NestInput& m_input; ///< on the model's device
    NamedTensors m_trainable;
    std::vector<torch::Tensor> m_parameters;
    LearningRateSchedule m_schedule;
    std::unique_ptr<torch::optim::Optimizer> m_optimizer;
    ForwardHooks m_hooks;
};

class Verification {
public:
    Verification(const config::ModelConfig& config, const Reference& reference, c10::Device device)
        : m_reference(reference), m_config(config), m_allowed(device.is_cpu() ? kOnCpu : kOnGpu), m_model(config),
          m_input(on(device, reference.input)) {
        m_model->to(device);
    }

    Result<std::vector<VerifyCheck>> run(const StateDict& initial) {
        const TorchDropout asNemo; // draws dropout as NeMo does, so that references with dropout can be compared
        load(initial);
        frontEnd();
        trainNudged(initial);
        load(initial);
        RS_TRY(steps());
        RS_TRY(weights());
        RS_TRY(statistics());
        evaluation();
        return std::vector<VerifyCheck>{m_mel,   m_lengths,   m_masks,   m_tokens,     m_logProbs, m_loss,
                                        m_rates, m_gradients, m_weights, m_statistics, m_eval};
    }

private:
    static NestInput on(c10::Device device, const NestInput& in) {
        return {in.audio.to(device), in.audioLen.to(device), in.noisy.to(device), in.noisyLen.to(device)};
    }
    const torch::Tensor expected(const std::string& name) const { return m_reference.file.find(name); }

    void load(const StateDict& state) {
        m_model->loadStateDict(state);
        m_model->train();
    }

    void frontEnd() {
        const auto [mel, melLen] = m_model->preprocess(m_input.audio, m_input.audioLen);
        const auto [noisy, noisyLen] = m_model->preprocess(m_input.noisy, m_input.noisyLen);
        keepWorst(m_mel, difference(mel, expected("out.mel")), m_allowed.values, "out.mel");
        keepWorst(m_mel, difference(noisy, expected("out.noisy_mel")), m_allowed.values, "out.noisy_mel");
        keepWorst(m_lengths, unequal(melLen, expected("out.mel_len")), 0, "out.mel_len");
        keepWorst(m_lengths, unequal(noisyLen, expected("out.noisy_mel_len")), 0, "out.noisy_mel_len");
    }

    /// Computes the same figures from weights that differ in their last bit.
    void trainNudged(const StateDict& initial) {
        load(nudged(initial, m_model->trainable()));
        Training training(m_model, m_config, m_reference, m_input);
        for (std::size_t i = 0; i < m_reference.steps(); ++i) {
            const Training::TrainedStep step = training.begin(i);
            m_again.losses.push_back(step.loss);
            if (i == 0) {
                m_again.logProbs = step.out.logProbs.detach();
                m_again.gradients = training.gradients();
            }
            training.end(step);
        }
        m_again.statistics = training.statistics();
    }

    Result<void> steps() {
        Training training(m_model, m_config, m_reference, m_input);
        for (std::size_t i = 0; i < m_reference.steps(); ++i) {
            const Training::TrainedStep step = training.begin(i);
            record(step, i);
            if (i == 0)
                RS_TRY(gradients(training.gradients()));
            training.end(step);
        }
        return {};
    }

    void record(const Training::TrainedStep& step, std::size_t i) {
        const NestOutput& out = step.out;
        const std::string mask = Reference::maskName(i), name = fmt::format("step {}", i);
        keepWorst(m_masks, unequal(out.masks.select(1, 0), expected(mask)), 0, mask);
        keepWorstNoisy(m_loss, std::abs(step.loss - m_reference.losses[i]), m_allowed.values,
                       std::abs(step.loss - m_again.losses[i]), name);
        keepWorst(m_rates, std::abs(step.rate - m_reference.rates[i]), kRates, name);
        if (i > 0)
            return;
        const double mayDiffer = std::floor(m_allowed.tokenShare * static_cast<double>(out.tokens.numel()));
        keepWorst(m_tokens, unequal(out.tokens, expected("out.tokens")), mayDiffer, "out.tokens");
        keepWorstNoisy(m_logProbs, difference(out.logProbs.detach(), expected("out.log_probs")), m_allowed.values,
                       difference(out.logProbs.detach(), m_again.logProbs), "out.log_probs");
        keepWorst(m_lengths, unequal(out.encodedLen, expected("out.encoded_len")), 0, "out.encoded_len");
    }

    Result<void> gradients(const std::map<std::string, torch::Tensor>& own) {
        for (const auto& item : own)
            if (!expected("grad." + item.first).defined())
                return fail(Errc::BadInput, {"tensor grad.{} is missing", item.first});
        for (const auto& [name, gradient] : m_reference.file.under("grad.")) {
            const auto found = own.find(name);
            const double largest = gradient.numel() > 0 ? gradient.abs().max().item<double>() : 0.0;
            const bool there = found != own.end();
            const double apart = there ? difference(found->second, gradient) : kInfinite;
            const double noise = there ? Figures::apart(m_again.gradients, name, found->second) : 0.0;
            const double limit = m_allowed.gradientShare * largest + m_allowed.gradientFloor;
            keepWorstNoisy(m_gradients, apart, limit, noise, "grad." + name);
        }
        return {};
    }

    Result<void> weights() {
        std::int64_t near = 0, total = 0;
        double largest = -1;
        m_weights.limit = m_allowed.weightShare;
        m_weights.atLeast = true;
        for (const auto& [name, tensor] : m_model->trainable()) {
            const auto reference = expected("after." + name);
            if (!reference.defined())
                return fail(Errc::BadInput, {"tensor after.{} is missing", name});
            if (reference.sizes() != tensor.sizes())
                return fail(Errc::Malformed, {"tensor after.{} does not match the model's shape", name});
            const auto apart = (tensor.detach().cpu() - reference).abs();
            near += apart.le(kWeightNear).sum().item<std::int64_t>();
            total += apart.numel();
            if (const double worst = apart.max().item<double>(); worst > largest) {
                largest = worst;
                m_weights.tensor = {"after.{} differs most, by {:.2g}", name, worst};
            }
        }
        m_weights.worst = total > 0 ? 100.0 * static_cast<double>(near) / static_cast<double>(total) : 0.0;
        return {};
    }

    /// Compares the batch norms' running statistics after all steps.
    Result<void> statistics() {
        for (const auto& [name, tensor] : m_model->stateDict()) {
            const std::string full = "after." + name;
            const bool counter = name.ends_with(".num_batches_tracked");
            if (!counter && !isStatistic(name))
                continue;
            const auto reference = expected(full);
            if (!reference.defined())
                return fail(Errc::BadInput, {"tensor {} is missing", full});
            if (counter) {
                keepWorst(m_statistics, unequal(tensor, reference), 0, full);
                continue;
            }
            const double largest = reference.abs().max().item<double>();
            const double limit = m_allowed.statisticsShare * largest + m_allowed.statisticsFloor;
            keepWorstNoisy(m_statistics, difference(tensor, reference), limit,
                           Figures::apart(m_again.statistics, name, tensor), full,
                           name.ends_with(".running_mean") ? kNoisyMeanShare * largest : 0);
        }
        if (m_statistics.tensor.empty())
            m_statistics.tensor = "this model has none";
        return {};
    }

    /// Evaluates with the reference's own final weights, so that allowed differences of training do not affect the
    /// result.
    void evaluation() {
        Training training(m_model, m_config, m_reference, m_input);
        const StateDict after = m_reference.file.under("after.");
        const NestOutput out = training.evaluated(after);
        const NestOutput again = training.evaluated(nudged(after, m_model->trainable()));
        keepWorst(m_lengths, unequal(out.encodedLen, expected("eval.encoded_len")), 0, "eval.encoded_len");
        keepWorstNoisy(m_eval, difference(out.logProbs, expected("eval.log_probs")), m_allowed.values,
                       difference(out.logProbs, again.logProbs), "eval.log_probs");
    }

    const Reference& m_reference;
    config::ModelConfig m_config;
    Tolerances m_allowed;
    NestModel m_model;
    NestInput m_input; ///< the reference's, on the device
    Figures m_again;   ///< from weights that differ in their last bit
    VerifyCheck m_mel{"mel features"}, m_lengths{"lengths"}, m_masks{"masks"}, m_tokens{"tokens"},
        m_logProbs{"log-probabilities"}, m_loss{"loss of every step"}, m_rates{"learning rates"},
        m_gradients{"gradients of step 0"}, m_weights{"% of weights within 1e-3"}, m_statistics{"running statistics"},
        m_eval{"log-probabilities, evaluation"};
};

} // namespace

Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference,
                                             const StateDict& initial, c10::Device device) {
    return Verification(config, reference, device).run(initial);
}

Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference) {
    return verifyModel(config, reference, reference.file.under("state."));
}

} // namespace rankscope::trainer
