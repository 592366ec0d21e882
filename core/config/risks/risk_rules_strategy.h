// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/risks/rule_inputs.h"

namespace rankscope::config {

/// Rules on the length sync, SyncBN, DDP and devices.
std::vector<RuleEntry> strategyRules();

} // namespace rankscope::config
