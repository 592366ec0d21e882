// SPDX-License-Identifier: Apache-2.0
#include "core/explain/collectives/known_recipes.h"

#include "core/plan/cost/model_shapes.h"
#include "core/plan/cost/step_collectives.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::explain {
namespace {

constexpr int kPlannedRanks = 2; // on which no number of elements that a rank gives depends

struct NestSize {
    const char* name;
    int layers, width, heads, kernel;
    bool bias, scaled;
};
constexpr std::array kNestSizes{
    NestSize{"small", 16, 176, 4, 9, true, true}, NestSize{"medium", 16, 256, 4, 9, true, true},
    NestSize{"large", 17, 512, 8, 9, true, true}, NestSize{"xlarge", 24, 1024, 8, 9, false, false},
    NestSize{"xxlarge", 42, 1024, 8, 5, false, false}};

} // namespace

RecipeCollectives recipeCollectives(std::string name, plan::Trainer trainer, const config::Recipe& recipe) {
    const std::string& attention = recipe.model.encoder.selfAttentionModel;
    const bool grows = trainer == plan::Trainer::NeMo && attention != "rel_pos_local_attn";
    RecipeCollectives found{std::move(name)};
    found.collectives = plan::plannedCollectives(trainer, recipe, plan::modelShapes(recipe.model), kPlannedRanks);
    if (grows)
        found.rowsPerFrame = attention == "abs_pos" ? 1 : 2;
    return found;
}

config::Recipe nestRecipe(const std::string& size) {
    config::Recipe recipe;
    const auto found = std::ranges::find(kNestSizes, size, &NestSize::name);
    const NestSize& nest = found == kNestSizes.end() ? kNestSizes[2] : *found;
    recipe.trainer.syncBatchnorm = true;
    recipe.model.preprocessor.windowSize = 0.025;
    recipe.model.preprocessor.features = 80;
    recipe.model.preprocessor.nFft = 512;
    auto& encoder = recipe.model.encoder;
    encoder.nLayers = nest.layers;
    encoder.dModel = nest.width;
    encoder.nHeads = nest.heads;
    encoder.useBias = nest.bias;
    encoder.xscaling = nest.scaled;
    encoder.subsampling = "dw_striding";
    encoder.subsamplingFactor = 8;
    encoder.subsamplingConvChannels = 256;
    encoder.convKernelSize = nest.kernel;
    recipe.model.decoder.featIn = nest.width;
    recipe.model.decoder.useBias = true;
    recipe.model.quantizer.combineTimeSteps = 8;
    return recipe;
}

std::vector<RecipeCollectives> knownRecipes() {
    std::vector<RecipeCollectives> known;
    for (const NestSize& nest : kNestSizes) {
        const std::string file = std::string("nest_") + nest.name + ".yaml";
        known.push_back(recipeCollectives(file, plan::Trainer::NeMo, nestRecipe(nest.name)));
        known.back().isKnown = true;
    }
    return known;
}

} // namespace rankscope::explain
