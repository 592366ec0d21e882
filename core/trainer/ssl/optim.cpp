// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/optim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace rankscope::trainer {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& need) {
    throw std::invalid_argument(fmt::format("model.optim.{}: {} is not supported ({})", key, value, need));
}

/// What one fused call takes: parameters that share their options and their step number.
struct Group {
    std::vector<torch::Tensor> parameters, gradients, means, squares, steps;
};

torch::optim::AdamWParamState&
stateOf(ska::flat_hash_map<void*, std::unique_ptr<torch::optim::OptimizerParamState>>& states, const torch::Tensor& p) {
    auto& slot = states[p.unsafeGetTensorImpl()];
    if (!slot) {
        auto fresh = std::make_unique<torch::optim::AdamWParamState>();
        fresh->step(0);
        fresh->exp_avg(torch::zeros_like(p, torch::MemoryFormat::Preserve));
        fresh->exp_avg_sq(torch::zeros_like(p, torch::MemoryFormat::Preserve));
        slot = std::move(fresh);
    }
    return static_cast<torch::optim::AdamWParamState&>(*slot);
}

} // namespace

torch::Tensor FusedAdamW::step(LossClosure closure) {
    torch::Tensor loss;
    if (closure) {
        torch::AutoGradMode withGrad(true);
        loss = closure();
    }
    torch::NoGradGuard noGrad;
    for (auto& group : param_groups_) {
        const auto& o = static_cast<torch::optim::AdamWOptions&>(group.options());
        Group fused;
        std::map<std::int64_t, torch::Tensor> stepTensors; // nearly always one: all parameters are of one age
        for (auto& p : group.params()) {
            if (!p.grad().defined())
                continue;
            auto& state = stateOf(state_, p);
            state.step(state.step() + 1);
            auto& stepTensor = stepTensors[state.step()];
            if (!stepTensor.defined())
                stepTensor = torch::full({}, static_cast<double>(state.step()),
                                         torch::TensorOptions(torch::kFloat32).device(p.device()));
            fused.parameters.push_back(p);
            fused.gradients.push_back(p.grad());
            fused.means.push_back(state.exp_avg());
            fused.squares.push_back(state.exp_avg_sq());
            fused.steps.push_back(stepTensor);
        }
        if (!fused.parameters.empty())
            at::_fused_adamw_(fused.parameters, fused.gradients, fused.means, fused.squares, {}, fused.steps, o.lr(),
                              std::get<0>(o.betas()), std::get<1>(o.betas()), o.weight_decay(), o.eps(), false, false);
    }
    return loss;
}

std::unique_ptr<FusedAdamW> makeOptimizer(const config::OptimConfig& c, std::vector<torch::Tensor> parameters) {
    if (c.name != "adamw")
        refuse("name", c.name, "only adamw");
    if (!(c.lr >= 0))
        refuse("lr", fmt::format("{}", c.lr), "not negative");
    for (const double beta : c.betas)
        if (!(beta >= 0 && beta < 1))
            refuse("betas", fmt::format("[{}, {}]", c.betas[0], c.betas[1]), "from 0 to below 1");
    if (!(c.eps >= 0))
        refuse("eps", fmt::format("{}", c.eps), "not negative");
    if (!(c.weightDecay >= 0))
        refuse("weight_decay", fmt::format("{}", c.weightDecay), "not negative");
    return std::make_unique<FusedAdamW>(
        std::move(parameters),
        torch::optim::AdamWOptions(c.lr).betas({c.betas[0], c.betas[1]}).eps(c.eps).weight_decay(c.weightDecay));
}

void zeroGradients(const std::vector<torch::Tensor>& parameters) {
    torch::NoGradGuard noGrad;
    std::vector<torch::Tensor> gradients;
    for (const auto& p : parameters)
        if (p.grad().defined())
            gradients.push_back(p.grad());
    if (!gradients.empty())
        at::_foreach_zero_(gradients);
}

void setLearningRate(torch::optim::Optimizer& optimizer, double rate) {
    for (auto& group : optimizer.param_groups())
        group.options().set_lr(rate);
}

LearningRateSchedule::LearningRateSchedule(const config::OptimConfig& c) : m_lr(c.lr), m_minLr(c.sched.minLr) {
    if (c.sched.name.empty())
        return;
    if (c.sched.name != "NoamAnnealing")
        refuse("sched.name", c.sched.name, "NoamAnnealing, or no schedule");
    if (c.sched.dModel <= 0)
        refuse("sched.d_model", fmt::format("{}", c.sched.dModel), "positive");
    if (c.sched.warmupSteps > 0 && c.sched.warmupRatio > 0)
        refuse("sched.warmup_ratio", fmt::format("{}", c.sched.warmupRatio), "give warmup_steps or warmup_ratio");
    if (c.sched.warmupRatio > 0 && c.sched.maxSteps <= 0)
        refuse("sched.warmup_ratio", fmt::format("{}", c.sched.warmupRatio), "needs max_steps");
    if (c.lr < c.sched.minLr)
        refuse("sched.min_lr", fmt::format("{}", c.sched.minLr), fmt::format("not above lr {}", c.lr));
    m_noam = true;
    m_normalise = std::pow(c.sched.dModel, -0.5);
    m_warmup = c.sched.warmupSteps > 0
                   ? c.sched.warmupSteps
                   : static_cast<std::int64_t>(c.sched.warmupRatio * static_cast<double>(c.sched.maxSteps));
}

double LearningRateSchedule::at(std::int64_t number) const {
    if (!m_noam)
        return m_lr;
    const auto step = static_cast<double>(std::max<std::int64_t>(1, number));
    double factor = std::pow(step, -0.5);
    if (m_warmup > 0)
        factor = std::min(factor, step * std::pow(static_cast<double>(m_warmup), -1.5));
    const double rate = m_lr * m_normalise * factor;
    return step > static_cast<double>(m_warmup) ? std::max(rate, m_minLr) : rate;
}

} // namespace rankscope::trainer
