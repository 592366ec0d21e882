// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/risks/rule_inputs.h"

namespace rankscope::config {

/// Rules on the length sync and SyncBN.
std::vector<RuleEntry> lengthSyncRules();

} // namespace rankscope::config
