// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/check/loaded_recipe.h"

#include <string>

namespace rankscope::config {

/// What NeMo takes and Rankscope's trainer cannot do yet: warnings that block a launch. And notes on sections that NeMo
/// uses and Rankscope does not.
void checkSupport(Loaded& loaded, const Facts& facts);
/// A key that NeMo reads and no class of the facts takes: not unknown, checkSupport() speaks of it.
bool isToldBySupport(const std::string& key);

} // namespace rankscope::config
