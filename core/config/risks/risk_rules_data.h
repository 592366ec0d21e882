// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/risks/rule_inputs.h"

namespace rankscope::config {

/// Rules on workers, batches, lengths and shards.
std::vector<RuleEntry> dataRules();
/// Rules on what the manifests hold.
std::vector<RuleEntry> manifestRules();

} // namespace rankscope::config
