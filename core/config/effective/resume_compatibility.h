// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <string>

namespace rankscope::config {

/// A run goes on from a checkpoint with the recipe that made it: what its numbers follow from must be the same. Where
/// it ends, what it logs and saves, how it is watched, and where its files lie may differ. The error names the keys
/// with both values. Both texts are effective.yaml's; `where`: the checkpoint.
Result<void> checkSameTraining(const std::string& before, const std::string& now, const std::string& where);

} // namespace rankscope::config
