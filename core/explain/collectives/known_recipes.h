// SPDX-License-Identifier: Apache-2.0
// The recipes by which a collective is named.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/result/planned_collective.h"

#include <string>
#include <vector>

namespace rankscope::explain {

/// What one trainer exchanges with one recipe.
struct RecipeCollectives {
    std::string recipe; ///< "nest_large.yaml", or the file that the user named
    plan::TrainerCollectives collectives;
    bool isKnown = false; ///< one of knownRecipes(): the run may have had any other
    /// Rows of the position table for each mel frame by which a batch is longer than its first length; 0: it never
    /// grows, or is no buffer of this trainer.
    int rowsPerFrame = 0;
};

/// Returns the collectives of a recipe; `name` is the recipe's file.
RecipeCollectives recipeCollectives(std::string name, plan::Trainer trainer, const config::Recipe& recipe);

/// Returns NeMo's collectives with the NEST recipes that we ship, which have the sizes of NeMo's table: small to
/// xxlarge.
std::vector<RecipeCollectives> knownRecipes();

/// Returns the recipe of a size of NeMo's table, as far as its collectives depend on it. Sizes: "small", "medium",
/// "large", "xlarge", "xxlarge".
config::Recipe nestRecipe(const std::string& size);

} // namespace rankscope::explain
