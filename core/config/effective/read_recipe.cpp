// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/read_recipe.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/recipe/recipe_reader.h"
#include "core/config/schema/key_lookup.h"

namespace rankscope::config {
namespace {

/// A resolved tree that includes the code's defaults.
struct CompleteTree {
    Node root;
    const KeySchema* facts = nullptr;
};

Result<CompleteTree> completeTree(const std::string& yamlText, const std::string& fileName,
                                  const std::vector<std::string>& overrides) {
    const Loaded loaded = load(yamlText, overrides, builtinSchema());
    if (auto error = launchError(loaded.problems, fileName))
        return tl::unexpected(*error);
    return CompleteTree{withCodeDefaults(loaded.resolved, *loaded.facts), loaded.facts};
}

} // namespace

Result<Recipe> readRecipe(const std::string& yamlText, const std::string& fileName,
                          const std::vector<std::string>& overrides) {
    RS_TRY_ASSIGN(const auto tree, completeTree(yamlText, fileName, overrides));
    Recipe recipe = recipeOf(tree.root);
    recipe.configHash = hash64(effectiveYaml(tree.root, *tree.facts, false));
    return recipe;
}

Result<CheckpointRecipe> readCheckpointRecipe(const std::string& yamlText, const std::string& fileName) {
    RS_TRY_ASSIGN(const auto tree, completeTree(yamlText, fileName, {}));
    return checkpointRecipeOf(tree.root);
}

} // namespace rankscope::config
