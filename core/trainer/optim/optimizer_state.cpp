// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/optim/optimizer_state.h"

#include "core/base/values/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

namespace rankscope::trainer {
namespace {

using torch::optim::AdamWParamState;
using torch::optim::SGDParamState;
using Slots = std::map<std::string, torch::Tensor>; // of one parameter

/// A parameter with what its group's options make an optimizer remember of it.
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

template <class... Args>
tl::unexpected<Error> bad(const std::string& name, fmt::format_string<Args...> text, Args&&... args) {
    return fail(Errc::Malformed, fmt::format(text, std::forward<Args>(args)...), "optimizer state " + name);
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
        return bad(name, "is no dense tensor");
    const auto dtype = isStep ? torch::kFloat32 : of.parameter.scalar_type();
    if (given.scalar_type() != dtype)
        return bad(name, "is of type {}, must be {}", c10::toString(given.scalar_type()), c10::toString(dtype));
    const auto shape = isStep ? torch::IntArrayRef() : of.parameter.sizes();
    if (given.sizes() != shape)
        return bad(name, "has the shape {}, must be {}", shapeText(given),
                   isStep ? "one number" : shapeText(of.parameter));
    if (isStep) {
        const double step = given.item<double>();
        if (!(step >= 1 && step == std::floor(step) && step < 9e15))
            return bad(name, "is {}, no count of steps", step);
    }
    return {};
}

Result<std::vector<Slots>> sorted(const NamedTensors& state, const std::vector<Remembered>& layout) {
    std::vector<Slots> out(layout.size());
    for (const auto& [name, tensor] : state) {
        const auto split = splitName(name);
        if (!split)
            return bad(name, "is no name of it; such a name is made of an index, a dot and a word");
        const auto& [index, word] = *split;
        if (index >= layout.size())
            return bad(name, "belongs to parameter {}, but the optimizer has {}", index, layout.size());
        const Remembered& of = layout[index];
        if (std::find(of.names.begin(), of.names.end(), word) == of.names.end())
            return bad(name, "is nothing that this optimizer keeps (it keeps {})",
                       of.names.empty() ? "nothing" : fmt::format("{}", fmt::join(of.names, ", ")));
        RS_TRY(checkSlot(name, tensor, of, word == "step"));
        if (!out[index].emplace(word, tensor).second)
            return bad(name, "stands there twice");
    }
    for (std::size_t i = 0; i < layout.size(); ++i)
        for (const auto& word : layout[i].names)
            if (!out[i].empty() && !out[i].contains(word))
                return bad(fmt::format("{}.{}", i, word), "is missing");
    return out;
}

/// With the parameter's strides: a fused pass walks both alike.
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

} // namespace

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
        return fail(Errc::Internal, error.what(), "optimizer state");
    }
}

} // namespace rankscope::trainer
