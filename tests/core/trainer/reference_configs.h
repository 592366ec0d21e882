// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"

#include <string>

namespace rankscope::trainer {

/// Returns the `model` section of the reference with this name, as typed values.
config::ModelConfig referenceConfig(const std::string& variant);

/// Returns the path of tests/data/nemo/<file>.
std::string referencePath(const std::string& file);

} // namespace rankscope::trainer
