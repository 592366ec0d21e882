// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/check/loaded_recipe.h"
#include "core/config/edit/document.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Applies overrides in Hydra's form (a.b=1, +a.b=1, ~a.b) to a recipe, resolves its interpolations and checks it.
Loaded load(const Document& document, const std::vector<std::string>& overrides, const KeySchema& facts);
Loaded load(const std::string& text, const std::vector<std::string>& overrides, const KeySchema& facts);

} // namespace rankscope::config
