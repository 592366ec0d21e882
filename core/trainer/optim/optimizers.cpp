// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/optim/optimizers.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace rankscope::trainer {
namespace {

using States = ska::flat_hash_map<void*, std::unique_ptr<torch::optim::OptimizerParamState>>;

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& need) {
    throw std::invalid_argument(fmt::format("model.optim.{}: {} is not supported ({})", key, value, need));
}

template <class State> State& stateOf(States& states, const torch::Tensor& p) {
    auto& slot = states[p.unsafeGetTensorImpl()];
    if (!slot)
        slot = std::make_unique<State>();
    return static_cast<State&>(*slot);
}

torch::Tensor zerosLike(const torch::Tensor& p) {
    return torch::zeros_like(p, torch::MemoryFormat::Preserve);
}

torch::Tensor evaluated(const torch::optim::Optimizer::LossClosure& closure) {
    if (!closure)
        return {};
    torch::AutoGradMode withGrad(true);
    return closure();
}

/// What one fused call takes.
struct AdamBatch {
    std::vector<torch::Tensor> parameters, gradients, means, squares, maxSquares, steps;
};

AdamBatch adamBatch(const std::vector<torch::Tensor>& parameters, States& states, bool amsgrad) {
    AdamBatch batch;
    std::map<std::int64_t, torch::Tensor> stepTensors; // nearly always one: all parameters are of one age
    for (const auto& p : parameters) {
        if (!p.grad().defined())
            continue;
        auto& state = stateOf<torch::optim::AdamWParamState>(states, p);
        if (!state.exp_avg().defined()) {
            state.exp_avg(zerosLike(p));
            state.exp_avg_sq(zerosLike(p));
            if (amsgrad)
                state.max_exp_avg_sq(zerosLike(p));
        }
        state.step(state.step() + 1);
        auto& stepTensor = stepTensors[state.step()];
        if (!stepTensor.defined())
            stepTensor = torch::full({}, static_cast<double>(state.step()),
                                     torch::TensorOptions(torch::kFloat32).device(p.device()));
        batch.parameters.push_back(p);
        batch.gradients.push_back(p.grad());
        batch.means.push_back(state.exp_avg());
        batch.squares.push_back(state.exp_avg_sq());
        if (amsgrad)
            batch.maxSquares.push_back(state.max_exp_avg_sq());
        batch.steps.push_back(stepTensor);
    }
    return batch;
}

struct SgdBatch {
    std::vector<torch::Tensor> parameters, gradients, buffers;
};

/// Without and with a buffer from an earlier step: the first step takes the gradient itself, undampened.
std::array<SgdBatch, 2> sgdBatches(const std::vector<torch::Tensor>& parameters, States& states, bool withMomentum) {
    std::array<SgdBatch, 2> batches;
    for (const auto& p : parameters) {
        if (!p.grad().defined())
            continue;
        bool seen = false;
        torch::Tensor buffer;
        if (withMomentum) {
            auto& state = stateOf<torch::optim::SGDParamState>(states, p);
            seen = state.momentum_buffer().defined();
            if (!seen)
                state.momentum_buffer(zerosLike(p));
            buffer = state.momentum_buffer();
        }
        auto& batch = batches[seen ? 1 : 0];
        batch.parameters.push_back(p);
        batch.gradients.push_back(p.grad());
        if (withMomentum)
            batch.buffers.push_back(buffer);
    }
    return batches;
}

void notNegative(const char* key, double value) {
    if (!(value >= 0))
        refuse(key, fmt::format("{}", value), "not negative");
}

std::unique_ptr<torch::optim::Optimizer> makeAdam(const config::OptimConfig& c, std::vector<torch::Tensor> parameters) {
    for (const double beta : c.betas)
        if (!(beta >= 0 && beta < 1))
            refuse("betas", fmt::format("[{}, {}]", c.betas[0], c.betas[1]), "from 0 to below 1");
    notNegative("eps", c.eps);
    const auto options = torch::optim::AdamWOptions(c.lr)
                             .betas({c.betas[0], c.betas[1]})
                             .eps(c.eps)
                             .weight_decay(c.weightDecay)
                             .amsgrad(c.amsgrad);
    const bool decoupled = c.name == "adamw" || c.decoupledWeightDecay;
    return std::make_unique<FusedAdam>(std::move(parameters), options, FusedAdam::Variant{decoupled, c.maximize});
}

std::unique_ptr<torch::optim::Optimizer> makeSgd(const config::OptimConfig& c, std::vector<torch::Tensor> parameters) {
    notNegative("momentum", c.momentum);
    if (c.nesterov && !(c.momentum > 0 && c.dampening == 0))
        refuse("nesterov", "true", "needs a momentum above 0 and no dampening");
    const auto options = torch::optim::SGDOptions(c.lr)
                             .momentum(c.momentum)
                             .dampening(c.dampening)
                             .weight_decay(c.weightDecay)
                             .nesterov(c.nesterov);
    return std::make_unique<FusedSgd>(std::move(parameters), options, c.maximize);
}

} // namespace

FusedAdam::FusedAdam(std::vector<torch::Tensor> parameters, const torch::optim::AdamWOptions& options, Variant variant)
    : torch::optim::AdamW(std::move(parameters), options), m_variant(variant) {}

torch::Tensor FusedAdam::step(LossClosure closure) {
    auto loss = evaluated(closure);
    torch::NoGradGuard noGrad;
    for (auto& group : param_groups_) {
        const auto& o = static_cast<const torch::optim::AdamWOptions&>(group.options());
        const AdamBatch b = adamBatch(group.params(), state_, o.amsgrad());
        if (b.parameters.empty())
            continue;
        const auto [beta1, beta2] = o.betas();
        if (m_variant.decoupledDecay)
            at::_fused_adamw_(b.parameters, b.gradients, b.means, b.squares, b.maxSquares, b.steps, o.lr(), beta1,
                              beta2, o.weight_decay(), o.eps(), o.amsgrad(), m_variant.maximize);
        else
            at::_fused_adam_(b.parameters, b.gradients, b.means, b.squares, b.maxSquares, b.steps, o.lr(), beta1, beta2,
                             o.weight_decay(), o.eps(), o.amsgrad(), m_variant.maximize);
    }
    return loss;
}

FusedSgd::FusedSgd(std::vector<torch::Tensor> parameters, const torch::optim::SGDOptions& options, bool maximize)
    : torch::optim::SGD(std::move(parameters), options), m_maximize(maximize) {}

torch::Tensor FusedSgd::step(LossClosure closure) {
    auto loss = evaluated(closure);
    torch::NoGradGuard noGrad;
    for (auto& group : param_groups_) {
        const auto& o = static_cast<const torch::optim::SGDOptions&>(group.options());
        const bool withMomentum = o.momentum() != 0;
        const auto batches = sgdBatches(group.params(), state_, withMomentum);
        for (std::size_t seen = 0; seen < batches.size(); ++seen)
            if (const SgdBatch& b = batches[seen]; !b.parameters.empty())
                at::_fused_sgd_(b.parameters, b.gradients, b.buffers, o.weight_decay(), o.momentum(), o.lr(),
                                o.dampening(), o.nesterov(), m_maximize, withMomentum && seen == 0);
    }
    return loss;
}

std::unique_ptr<torch::optim::Optimizer> makeOptimizer(const config::OptimConfig& c,
                                                       std::vector<torch::Tensor> parameters) {
    notNegative("lr", c.lr);
    notNegative("weight_decay", c.weightDecay);
    if (c.name == "adamw" || c.name == "adam")
        return makeAdam(c, std::move(parameters));
    if (c.name == "sgd")
        return makeSgd(c, std::move(parameters));
    refuse("name", c.name, "adamw, adam or sgd");
}

void releaseGradients(const std::vector<torch::Tensor>& parameters) {
    for (const auto& p : parameters)
        p.mutable_grad() = torch::Tensor();
}

void setLearningRate(torch::optim::Optimizer& optimizer, double rate) {
    for (auto& group : optimizer.param_groups())
        group.options().set_lr(rate);
}

} // namespace rankscope::trainer
