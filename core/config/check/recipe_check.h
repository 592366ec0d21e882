// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/check/loaded_recipe.h"

namespace rankscope::config {

/// Checks for unknown keys (naming the nearest known one), wrong types, values out of range, missing required values,
/// and values that contradict each other. Appends to `loaded.problems`.
void check(Loaded& loaded, const KeySchema& facts);

} // namespace rankscope::config
