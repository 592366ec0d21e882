// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/optim/optimizers.h"

#include "core/base/values/result.h"
#include "core/trainer/argument_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

namespace rankscope::trainer {
namespace {

using OptimizerStates = ska::flat_hash_map<void*, std::unique_ptr<torch::optim::OptimizerParamState>>;

[[noreturn]] void refuse(const std::string& key, const std::string& value, Message need) {
    throw ArgumentError("model.optim." + key, {"{} is not supported ({})", value, std::move(need)});
}

template <class State> State& stateOf(OptimizerStates& states, const torch::Tensor& p) {
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

/// The arguments of one fused call.
struct AdamBatch {
    std::vector<torch::Tensor> parameters, gradients, means, squares, maxSquares, steps;
};

AdamBatch adamBatch(const std::vector<torch::Tensor>& parameters, OptimizerStates& states, bool amsgrad) {
    AdamBatch batch;
    // nearly always one entry: all parameters have made the same number of steps
    std::map<std::int64_t, torch::Tensor> stepTensors;
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

/// Returns batches without and with a buffer from an earlier step: the first step takes the gradient itself,
/// undampened.
std::array<SgdBatch, 2> sgdBatches(const std::vector<torch::Tensor>& parameters, OptimizerStates& states,
                                   bool withMomentum) {
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
    return std::make_unique<FusedAdam>(std::move(parameters), options, FusedAdam::AdamVariant{decoupled, c.maximize});
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

using torch::optim::AdamWParamState;
using torch::optim::SGDParamState;
using Slots = std::map<std::string, torch::Tensor>; // of one parameter

/// A parameter with the state that its group's options make the optimizer keep for it.
struct Remembered {
    torch::Tensor parameter;
    bool adam = false;
    std::vector<std::string> names;
};

std::vector<Remembered> layoutOf(const torch::optim::Optimizer& optimizer) {
    std::vector<Remembered> out;
    for (const auto& group : optimizer.param_groups()) {
        Remembered one;
        if (const auto* adam = dynamic_cast<const torch::optim::AdamWOptions*>(&group.options())) {
            one.adam = true;
            one.names = {"exp_avg", "exp_avg_sq", "step"};
            if (adam->amsgrad())
                one.names.emplace_back("max_exp_avg_sq");
        } else if (const auto* sgd = dynamic_cast<const torch::optim::SGDOptions*>(&group.options())) {
            if (sgd->momentum() != 0)
                one.names = {"momentum_buffer"};
        } else {
            throw std::invalid_argument("the state of this kind of optimizer is not known");
        }
        for (const auto& p : group.params()) {
            one.parameter = p;
            out.push_back(one);
        }
    }
    return out;
}

torch::Tensor slotOf(const torch::optim::OptimizerParamState& state, const std::string& name) {
    if (name == "momentum_buffer")
        return static_cast<const SGDParamState&>(state).momentum_buffer();
    const auto& adam = static_cast<const AdamWParamState&>(state);
    if (name == "step")
        return torch::full({}, static_cast<double>(adam.step()), torch::kFloat32);
    return name == "exp_avg" ? adam.exp_avg() : name == "exp_avg_sq" ? adam.exp_avg_sq() : adam.max_exp_avg_sq();
}

tl::unexpected<Error> bad(const std::string& name, Message what) {
    return fail(Errc::Malformed, std::move(what), "optimizer state " + name);
}

/// "12.exp_avg" -> 12, "exp_avg".
std::optional<std::pair<std::size_t, std::string>> splitName(const std::string& name) {
    std::size_t index = 0;
    const char* end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data(), end, index);
    if (error != std::errc() || at == end || *at != '.' || (name[0] == '0' && at != name.data() + 1))
        return std::nullopt;
    return std::pair(index, std::string(at + 1, end));
}

std::string shapeText(const torch::Tensor& t) {
    return fmt::format("[{}]", fmt::join(t.sizes(), ", "));
}

Result<void> checkSlot(const std::string& name, const torch::Tensor& given, const Remembered& of, bool isStep) {
    if (!given.defined() || given.layout() != torch::kStrided)
        return bad(name, "is not a dense tensor");
    const auto dtype = isStep ? torch::kFloat32 : of.parameter.scalar_type();
    if (given.scalar_type() != dtype)
        return bad(name, {"has type {}; expected {}", c10::toString(given.scalar_type()), c10::toString(dtype)});
    const auto shape = isStep ? torch::IntArrayRef() : of.parameter.sizes();
    if (given.sizes() != shape)
        return bad(name, {"has shape {}; expected {}", shapeText(given),
                          isStep ? Message("one number") : Message(shapeText(of.parameter))});
    if (isStep) {
        const double step = given.item<double>();
        if (!(step >= 1 && step == std::floor(step) && step < 9e15))
            return bad(name, {"is {}, which is not a number of steps", step});
    }
    return {};
}

Result<std::vector<Slots>> sorted(const NamedTensors& state, const std::vector<Remembered>& layout) {
    std::vector<Slots> out(layout.size());
    for (const auto& [name, tensor] : state) {
        const auto split = splitName(name);
        if (!split)
            return bad(name, "is not one of its names; a name consists of an index, a dot and a word");
        const auto& [index, word] = *split;
        if (index >= layout.size())
            return bad(name, {"belongs to parameter {}, but the optimizer has {}", index, layout.size()});
        const Remembered& of = layout[index];
        if (std::find(of.names.begin(), of.names.end(), word) == of.names.end())
            return bad(name,
                       {"is not part of this optimizer's state ({})",
                        of.names.empty() ? Message("nothing") : Message(fmt::format("{}", fmt::join(of.names, ", ")))});
        RS_TRY(checkSlot(name, tensor, of, word == "step"));
        if (!out[index].emplace(word, tensor).second)
            return bad(name, "occurs twice");
    }
    for (std::size_t i = 0; i < layout.size(); ++i)
        for (const auto& word : layout[i].names)
            if (!out[i].empty() && !out[i].contains(word))
                return bad(fmt::format("{}.{}", i, word), "is missing");
    return out;
}

/// Copies with the parameter's strides, since a fused pass walks both in the same way.
torch::Tensor copyFor(const torch::Tensor& p, const torch::Tensor& value) {
    return torch::empty_like(p, torch::MemoryFormat::Preserve).copy_(value);
}

std::unique_ptr<torch::optim::OptimizerParamState> stateOf(const Remembered& of, const Slots& slots) {
    if (!of.adam) {
        auto state = std::make_unique<SGDParamState>();
        state->momentum_buffer(copyFor(of.parameter, slots.at("momentum_buffer")));
        return state;
    }
    auto state = std::make_unique<AdamWParamState>();
    state->step(static_cast<std::int64_t>(slots.at("step").item<double>()));
    state->exp_avg(copyFor(of.parameter, slots.at("exp_avg")));
    state->exp_avg_sq(copyFor(of.parameter, slots.at("exp_avg_sq")));
    if (const auto largest = slots.find("max_exp_avg_sq"); largest != slots.end())
        state->max_exp_avg_sq(copyFor(of.parameter, largest->second));
    return state;
}

std::vector<torch::Tensor> gradientsOf(const std::vector<torch::Tensor>& parameters) {
    std::vector<torch::Tensor> gradients;
    gradients.reserve(parameters.size());
    for (const auto& parameter : parameters)
        if (parameter.grad().defined())
            gradients.push_back(parameter.grad());
    return gradients;
}

} // namespace

FusedAdam::FusedAdam(std::vector<torch::Tensor> parameters, const torch::optim::AdamWOptions& options,
                     AdamVariant variant)
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

NamedTensors optimizerState(const torch::optim::Optimizer& optimizer) {
    NamedTensors out;
    const auto layout = layoutOf(optimizer);
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto state = optimizer.state().find(layout[i].parameter.unsafeGetTensorImpl());
        if (state == optimizer.state().end())
            continue;
        for (const auto& name : layout[i].names)
            out.emplace_back(fmt::format("{}.{}", i, name), slotOf(*state->second, name));
    }
    return out;
}

Result<void> loadOptimizerState(torch::optim::Optimizer& optimizer, const NamedTensors& state) {
    torch::NoGradGuard noGrad;
    try {
        const auto layout = layoutOf(optimizer);
        RS_TRY_ASSIGN(const auto slots, sorted(state, layout));
        std::vector<std::pair<void*, std::unique_ptr<torch::optim::OptimizerParamState>>> fresh;
        for (std::size_t i = 0; i < layout.size(); ++i)
            if (!slots[i].empty())
                fresh.emplace_back(layout[i].parameter.unsafeGetTensorImpl(), stateOf(layout[i], slots[i]));
        optimizer.state().clear();
        for (auto& [key, value] : fresh)
            optimizer.state()[key] = std::move(value);
        return {};
    } catch (const std::exception& error) { // also c10::Error: no memory on the device
        return fail(Errc::Internal, std::string(error.what()), "optimizer state");
    }
}

double gradientNorm(const std::vector<torch::Tensor>& parameters) {
    const torch::NoGradGuard noGrad;
    const auto gradients = gradientsOf(parameters);
    return gradients.empty() ? 0 : torch::stack(at::_foreach_norm(gradients, 2)).norm().item<double>();
}

void clipByNorm(const std::vector<torch::Tensor>& parameters, double norm, double largest) {
    const torch::NoGradGuard noGrad;
    const double scale = std::min(1.0, largest / (norm + 1e-6));
    const auto gradients = gradientsOf(parameters);
    if (!gradients.empty() && !(scale >= 1.0)) // NaN scales too, as in PyTorch
        at::_foreach_mul_(gradients, scale);
}

void clipByValue(const std::vector<torch::Tensor>& parameters, double largest) {
    const torch::NoGradGuard noGrad;
    for (auto& gradient : gradientsOf(parameters))
        gradient.clamp_(-largest, largest);
}

std::optional<std::string> firstNotFiniteGradient(const NamedTensors& parameters) {
    for (const auto& [name, parameter] : parameters)
        if (parameter.grad().defined() && !torch::isfinite(parameter.grad()).all().item<bool>())
            return name;
    return std::nullopt;
}

} // namespace rankscope::trainer
