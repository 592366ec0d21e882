// SPDX-License-Identifier: Apache-2.0
// Plans what ranks exchange in one optimizer step, before anything runs.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "core/plan/result/plan.h"

#include <cstdint>
#include <vector>

namespace rankscope::plan {

/// Returns the collectives of a step from the second step on: the first one has a single bucket of gradients, whose
/// order defines the later buckets. Empty with one rank, unless the recipe names a backend: the trainer then creates a
/// process group even for one rank.
std::vector<CollectivePlan> planCollectives(const config::Recipe& recipe, const std::vector<TensorShape>& shapes,
                                            int ranks);

/// Returns the number of elements of each bucket of gradients, in the order in which backward sends them.
std::vector<std::int64_t> gradientBuckets(const config::TrainerConfig& trainer, const std::vector<TensorShape>& shapes);

} // namespace rankscope::plan
