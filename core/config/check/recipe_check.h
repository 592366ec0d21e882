// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/check/loaded_recipe.h"

namespace rankscope::config {

/// Unknown keys (with the nearest known one), wrong types, values out of range, what is required and absent, and values
/// that contradict each other. Appends to `loaded.problems`.
void check(Loaded& loaded, const Facts& facts);

} // namespace rankscope::config
