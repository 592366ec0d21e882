// SPDX-License-Identifier: Apache-2.0
// What a rank will hold at once, estimated. The parts that follow from shapes are exact; activations are counted from
// what each operation keeps for backward, and what libraries and allocators take besides was measured.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "core/plan/result/plan.h"

namespace rankscope::plan {

struct LargestBatch {
    std::int64_t utterances = 0;
    double paddedSeconds = 0; ///< of all of them together
};

/// `available` stays 0. Without a batch (no manifest is known) that of batch_size utterances of max_duration counts.
MemoryPlan planMemory(const config::Recipe& recipe, const std::vector<TensorShape>& shapes, const LargestBatch& batch,
                      bool onGpu);

/// Of the recipe alone: batch_size x max_duration; without a limit, of 30 s.
LargestBatch largestBatchOf(const config::DatasetConfig& data);

} // namespace rankscope::plan
