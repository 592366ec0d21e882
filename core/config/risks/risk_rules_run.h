// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/risks/rule_inputs.h"

namespace rankscope::config {

/// Rules on precision, learning rate, memory, validation, checkpoints, seeds, timeouts and faults.
std::vector<RuleEntry> runRules();

} // namespace rankscope::config
