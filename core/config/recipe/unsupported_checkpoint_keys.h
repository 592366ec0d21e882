// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/loaded_recipe.h"

#include <string>
#include <utility>
#include <vector>

namespace rankscope::config {

/// A key and why the trainer does not do what it says.
using Refusals = std::vector<std::pair<std::string, std::string>>;

/// Of exp_manager's checkpoints and of init_from_*: values that exclude each other or cannot be followed.
Refusals refusedCheckpointKeys(const Node& resolved, const Facts& facts);

} // namespace rankscope::config
