// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/risks/rule_inputs.h"

namespace rankscope::config {

/// Rules on precision, learning rate and memory.
std::vector<RuleEntry> optimRules();

} // namespace rankscope::config
