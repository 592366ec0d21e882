// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/loaded_recipe.h"

namespace rankscope::config {

/// The four values of each key: yours in file order, what an override removed, code defaults that act, and what is
/// required and absent. `full`: the resolved tree with the code's defaults.
std::vector<KeyRow> keyRows(const Loaded& loaded, const Node& full, const Facts& facts);

} // namespace rankscope::config
