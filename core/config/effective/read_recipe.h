// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Reads the text of effective.yaml, or any resolved YAML. A file that is only NeMo's `model` section (no top-level
/// `model:` key, as in the reference files) is taken as such. Errors name file, line, column, key and the nearest known
/// key.
Result<Recipe> readRecipe(const std::string& yamlText, const std::string& fileName,
                          const std::vector<std::string>& overrides = {});

/// Reads what the same text says a run begins with and keeps.
Result<CheckpointRecipe> readCheckpointRecipe(const std::string& yamlText, const std::string& fileName);

} // namespace rankscope::config
