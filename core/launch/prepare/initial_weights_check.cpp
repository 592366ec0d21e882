// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/initial_weights_check.h"

#include "core/base/values/result.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "core/trainer/formats/archives/weights_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace rankscope::launch {
namespace {

using ModelShapes = std::map<std::string, std::vector<std::int64_t>>;

Result<void> checkFile(const config::InitialWeights& from, const ModelShapes& model) {
    const auto inKey = [&](const std::string& place) { return fmt::format("{}: {}", from.key, place); };
    const auto tensors = trainer::readWeightsShapes(from.path);
    if (!tensors) {
        const Error& error = tensors.error();
        if (error.code == Errc::NotFound)
            return fail(error.code, "the file does not exist (relative paths start at the working folder)",
                        inKey(from.path));
        return fail(error.code, error.what, inKey(error.where));
    }
    bool any = false;
    for (const auto& [name, shape] : *tensors) {
        const auto target = from.takes(name) ? model.find(name) : model.end();
        if (target == model.end())
            continue;
        if (target->second != shape)
            return fail(Errc::BadInput,
                        fmt::format("tensor {} is [{}], the model's is [{}]: change the recipe, or name it in exclude",
                                    name, fmt::join(shape, ", "), fmt::join(target->second, ", ")),
                        inKey(from.path));
        any = true;
    }
    if (any)
        return {};
    return fail(Errc::BadInput,
                tensors->empty()
                    ? std::string("has no tensor")
                    : fmt::format("has no tensor of the model that include and exclude let pass; its first is {}, the "
                                  "model's {}",
                                  tensors->front().name, model.empty() ? "none" : model.begin()->first),
                inKey(from.path));
}

} // namespace

Result<void> checkInitialWeights(const std::string& effectiveText, const config::ModelConfig& model) {
    RS_TRY_ASSIGN(const auto recipe, config::readCheckpointRecipe(effectiveText, "effective.yaml"));
    if (recipe.initialWeights.empty())
        return {};
    ModelShapes shapes;
    for (auto& tensor : plan::modelShapes(model))
        shapes.emplace(tensor.name, tensor.shape);
    for (const auto& from : recipe.initialWeights)
        RS_TRY(checkFile(from, shapes));
    return {};
}

} // namespace rankscope::launch
