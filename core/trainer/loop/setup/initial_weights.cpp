// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/initial_weights.h"

#include "core/base/values/result.h"
#include "core/trainer/checkpoint/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace rankscope::trainer {
namespace {

constexpr std::size_t kNamed = 3; ///< tensors that a message shows

std::string some(const std::vector<std::string>& names) {
    const auto shown = std::min(names.size(), kNamed);
    return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       names.size() > shown ? ", …" : "");
}

Result<void> take(Rank& rank, const config::InitialWeights& from, std::map<std::string, torch::Tensor>& missing) {
    const auto weights = readWeights(from.path);
    if (!weights)
        return fail(weights.error().code, weights.error().message(), from.key);
    std::map<std::string, torch::Tensor> model;
    for (auto& [name, tensor] : rank.model->stateDict())
        model.emplace(name, tensor);
    std::vector<std::string> unknown;
    std::size_t taken = 0;
    const torch::NoGradGuard noGradients;
    for (const auto& [name, tensor] : weights->tensors) {
        if (!from.takes(name))
            continue;
        const auto target = model.find(name);
        if (target == model.end()) {
            unknown.push_back(name);
            continue;
        }
        if (target->second.sizes() != tensor.sizes())
            return fail(Errc::BadInput,
                        fmt::format("tensor {} is [{}], the model's is [{}]", name, fmt::join(tensor.sizes(), ", "),
                                    fmt::join(target->second.sizes(), ", ")),
                        fmt::format("{}: {}", from.key, from.path));
        target->second.copy_(tensor);
        missing.erase(name);
        ++taken;
    }
    if (taken == 0)
        return fail(Errc::BadInput, "has no tensor of the model", fmt::format("{}: {}", from.key, from.path));
    if (rank.me.rank == 0) {
        rank.log.info(fmt::format("begins with {} tensors of {}", taken, from.path));
        if (!unknown.empty())
            rank.log.warning(fmt::format("{}: {} tensors are not the model's and were left out: {}", from.path,
                                         unknown.size(), some(unknown)));
    }
    return {};
}

} // namespace

Result<void> loadInitialWeights(Rank& rank) {
    if (rank.keeping.initialWeights.empty())
        return {};
    std::map<std::string, torch::Tensor> missing;
    for (auto& [name, tensor] : rank.model->stateDict())
        missing.emplace(name, tensor);
    for (const auto& from : rank.keeping.initialWeights)
        RS_TRY(take(rank, from, missing));
    std::vector<std::string> names;
    names.reserve(missing.size());
    for (const auto& item : missing)
        names.push_back(item.first);
    if (!names.empty() && rank.me.rank == 0)
        rank.log.warning(
            fmt::format("{} tensors of the model are in no file that it begins with: {}", names.size(), some(names)));
    return {};
}

} // namespace rankscope::trainer
