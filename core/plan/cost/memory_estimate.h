// SPDX-License-Identifier: Apache-2.0
// Estimates the peak memory of a rank. The parts that follow from shapes are exact; activations are counted from what
// each operation keeps for backward; the overhead of libraries and allocators was measured.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "core/plan/result/plan.h"

namespace rankscope::plan {

struct LargestBatch {
    std::int64_t utterances = 0;
    double paddedSeconds = 0; ///< total of all utterances
};

/// `available` stays 0. Without a batch (no manifest is known), batch_size utterances of max_duration are assumed.
MemoryPlan planMemory(const config::Recipe& recipe, const std::vector<TensorShape>& shapes, const LargestBatch& batch,
                      bool onGpu);

/// Returns the largest batch by the recipe alone: batch_size x max_duration; 30 s each if there is no limit.
LargestBatch largestBatchOf(const config::DatasetConfig& data);

} // namespace rankscope::plan
