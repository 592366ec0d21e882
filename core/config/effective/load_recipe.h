// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/check/loaded_recipe.h"

#include <memory>
#include <string>
#include <vector>

namespace rankscope::config {

/// Reads, overrides, resolves and checks a recipe. Overrides as Hydra writes them: a.b=1, +a.b=1, ~a.b.
Loaded load(const std::string& text, const std::vector<std::string>& overrides, const Facts& facts);
/// The same for a text that was parsed before.
Loaded load(std::shared_ptr<const Node> root, const std::vector<std::string>& overrides, const Facts& facts);

} // namespace rankscope::config
