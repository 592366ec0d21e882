// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/risks/rule_inputs.h"

namespace rankscope::config {

/// Rules on workers, batches, lengths and shards, and on the contents of the manifests.
std::vector<RuleEntry> dataRules();

} // namespace rankscope::config
