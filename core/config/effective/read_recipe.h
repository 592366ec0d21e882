// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Reads the text of effective.yaml, or any resolved YAML. A file without a top-level `model:` key, such as the
/// reference files, is read as NeMo's `model` section alone. Errors name file, line, column, key and the nearest known
/// key.
Result<Recipe> readRecipe(const std::string& yamlText, const std::string& fileName,
                          const std::vector<std::string>& overrides = {});

/// Reads from the same text what a run starts from and what it keeps.
Result<CheckpointRecipe> readCheckpointRecipe(const std::string& yamlText, const std::string& fileName);

} // namespace rankscope::config
