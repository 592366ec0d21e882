// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/verify_model.h"

#include "core/trainer/nn/dropout_kernels.h"
#include "core/trainer/ssl/optim.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

namespace rankscope::trainer {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kValues = 1e-4;                               ///< mel, log-probabilities, losses
constexpr double kGradientShare = 1e-4, kGradientFloor = 1e-5; ///< of the tensor's largest value, plus
constexpr double kWeightNear = 1e-3, kWeightShare = 99.0;      ///< per cent of the weights that must be so near
constexpr double kRates = 1e-9;

using Named = std::vector<std::pair<std::string, torch::Tensor>>;

/// Largest absolute difference; infinite when shapes differ, NaN when a value is not a number.
double difference(const torch::Tensor& a, const torch::Tensor& b) {
    if (a.sizes() != b.sizes())
        return kInfinite;
    if (a.numel() == 0)
        return 0;
    return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

/// Number of elements that differ; infinite when shapes do.
double unequal(const torch::Tensor& a, const torch::Tensor& b) {
    if (a.sizes() != b.sizes())
        return kInfinite;
    return static_cast<double>(a.to(torch::kInt64).ne(b.to(torch::kInt64)).sum().item<std::int64_t>());
}

/// Keeps the worst of several figures of one kind. NaN is worse than anything.
void keepWorst(VerifyCheck& check, double value, double limit, const std::string& tensor) {
    const auto badness = [](double v, double l) { return std::isnan(v) ? kInfinite : l > 0 ? v / l : v; };
    if (check.tensor.empty() || badness(value, limit) > badness(check.worst, check.limit)) {
        check.worst = value;
        check.limit = limit;
        check.tensor = tensor;
    }
}

class Verification {
public:
    Verification(const config::ModelConfig& config, const Reference& reference)
        : m_reference(reference), m_config(config), m_model(config) {}

    Result<std::vector<VerifyCheck>> run(const StateDict& initial) {
        const TorchDropout asNemo; // so that a reference with dropout shows that it stands where NeMo's does
        m_model->loadStateDict(initial);
        m_model->train();
        frontEnd();
        if (auto ok = steps(); !ok)
            return tl::unexpected(ok.error());
        if (auto ok = weights(); !ok)
            return tl::unexpected(ok.error());
        evaluation();
        return std::vector<VerifyCheck>{m_mel,  m_lengths, m_masks,     m_tokens,  m_logProbs,
                                        m_loss, m_rates,   m_gradients, m_weights, m_eval};
    }

private:
    const torch::Tensor expected(const std::string& name) const { return m_reference.file.find(name); }

    void frontEnd() {
        const auto& in = m_reference.input;
        const auto [mel, melLen] = m_model->preprocess(in.audio, in.audioLen);
        const auto [noisy, noisyLen] = m_model->preprocess(in.noisy, in.noisyLen);
        keepWorst(m_mel, difference(mel, expected("out.mel")), kValues, "out.mel");
        keepWorst(m_mel, difference(noisy, expected("out.noisy_mel")), kValues, "out.noisy_mel");
        keepWorst(m_lengths, unequal(melLen, expected("out.mel_len")), 0, "out.mel_len");
        keepWorst(m_lengths, unequal(noisyLen, expected("out.noisy_mel_len")), 0, "out.noisy_mel_len");
    }

    Result<void> steps() {
        const Named trainable = m_model->trainable();
        std::vector<torch::Tensor> parameters;
        for (const auto& item : trainable)
            parameters.push_back(item.second);
        const auto optimizer = makeOptimizer(m_config.optim, parameters);
        const LearningRateSchedule schedule(m_config.optim);
        ForwardHooks hooks;
        for (std::size_t i = 0; i < m_reference.steps(); ++i) {
            torch::manual_seed(m_reference.seeds[i]);
            const NestOutput out = m_model->forward(m_reference.input, true, hooks);
            const auto loss = m_model->loss(out);
            releaseGradients(parameters);
            loss.backward();
            const double rate = schedule.at(static_cast<std::int64_t>(i));
            record(out, loss.item<double>(), rate, i);
            if (i == 0)
                if (auto ok = gradients(trainable); !ok)
                    return ok;
            setLearningRate(*optimizer, rate);
            optimizer->step();
        }
        return {};
    }

    void record(const NestOutput& out, double loss, double rate, std::size_t i) {
        const std::string mask = Reference::maskName(i), step = fmt::format("step {}", i);
        keepWorst(m_masks, unequal(out.masks.select(1, 0), expected(mask)), 0, mask);
        keepWorst(m_loss, std::abs(loss - m_reference.losses[i]), kValues, step);
        keepWorst(m_rates, std::abs(rate - m_reference.rates[i]), kRates, step);
        if (i > 0)
            return;
        keepWorst(m_tokens, unequal(out.tokens, expected("out.tokens")), 0, "out.tokens");
        keepWorst(m_logProbs, difference(out.logProbs.detach(), expected("out.log_probs")), kValues, "out.log_probs");
        keepWorst(m_lengths, unequal(out.encodedLen, expected("out.encoded_len")), 0, "out.encoded_len");
    }

    Result<void> gradients(const Named& trainable) {
        std::map<std::string, torch::Tensor> own;
        for (const auto& [name, tensor] : trainable) {
            if (!tensor.grad().defined())
                continue;
            own[name] = tensor.grad();
            if (!expected("grad." + name).defined())
                return fail(Errc::BadInput, fmt::format("tensor grad.{} is missing", name));
        }
        for (const auto& [name, gradient] : m_reference.file.under("grad.")) {
            const auto found = own.find(name);
            const double largest = gradient.numel() > 0 ? gradient.abs().max().item<double>() : 0.0;
            const double apart = found == own.end() ? kInfinite : difference(found->second, gradient);
            keepWorst(m_gradients, apart, kGradientShare * largest + kGradientFloor, "grad." + name);
        }
        return {};
    }

    Result<void> weights() {
        std::int64_t near = 0, total = 0;
        double largest = -1;
        m_weights.limit = kWeightShare;
        m_weights.atLeast = true;
        for (const auto& [name, tensor] : m_model->trainable()) {
            const auto reference = expected("after." + name);
            if (!reference.defined())
                return fail(Errc::BadInput, fmt::format("tensor after.{} is missing", name));
            if (reference.sizes() != tensor.sizes())
                return fail(Errc::Malformed, fmt::format("tensor after.{} has another shape than the model", name));
            const auto apart = (tensor.detach() - reference).abs();
            near += apart.le(kWeightNear).sum().item<std::int64_t>();
            total += apart.numel();
            if (const double worst = apart.max().item<double>(); worst > largest) {
                largest = worst;
                m_weights.tensor = fmt::format("after.{} differs most, by {:.2g}", name, worst);
            }
        }
        m_weights.worst = total > 0 ? 100.0 * static_cast<double>(near) / static_cast<double>(total) : 0.0;
        return {};
    }

    /// With the reference's own final weights: evaluation must not inherit what training may differ by.
    void evaluation() {
        torch::NoGradGuard noGrad;
        m_model->loadStateDict(m_reference.file.under("after."));
        m_model->eval();
        ForwardHooks hooks;
        const NestOutput out = m_model->forward(m_reference.input, false, hooks);
        keepWorst(m_eval, difference(out.logProbs, expected("eval.log_probs")), kValues, "eval.log_probs");
    }

    const Reference& m_reference;
    config::ModelConfig m_config;
    NestModel m_model;
    VerifyCheck m_mel{"mel features"}, m_lengths{"lengths"}, m_masks{"masks"}, m_tokens{"tokens"},
        m_logProbs{"log-probabilities"}, m_loss{"loss of every step"}, m_rates{"learning rates"},
        m_gradients{"gradients of step 0"}, m_weights{"% of weights within 1e-3"},
        m_eval{"log-probabilities, evaluation"};
};

} // namespace

Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference,
                                             const StateDict& initial) {
    return Verification(config, reference).run(initial);
}

Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference) {
    return verifyModel(config, reference, reference.file.under("state."));
}

} // namespace rankscope::trainer
