// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/loaded_recipe.h"

namespace rankscope::config {

/// Values that are fine alone and wrong together: shapes that do not fit, a minimum above its maximum.
void checkContradictions(const Node& root, const Facts& facts, std::vector<Problem>& problems);

} // namespace rankscope::config
