// SPDX-License-Identifier: Apache-2.0
// Sums up what the ranks of rankscope-trainer exchange in one optimizer step.
#pragma once

#include "core/plan/result/plan.h"

#include <vector>

namespace rankscope::plan {

/// Returns the collectives of a step by tag, operation and type, from the second step on: the first one has a single
/// bucket of gradients, whose order defines the later buckets.
std::vector<CollectivePlan> sumByTag(const TrainerCollectives& collectives);

} // namespace rankscope::plan
