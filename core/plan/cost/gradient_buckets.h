// SPDX-License-Identifier: Apache-2.0
// How DistributedDataParallel packs tensors for an exchange: gradients into buckets, and the model's state into
// broadcasts of up to 250 MiB.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/cost/model_shapes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::plan {

/// Tensors that one all-reduce sends.
struct GradientBucket {
    std::int64_t elements = 0;
    std::vector<std::size_t> tensors; ///< positions in the list of shapes, in the order in which they fill it
};

/// Returns the buckets from the second step on, in the order in which backward sends them.
std::vector<GradientBucket> gradientBuckets(const config::TrainerConfig& trainer,
                                            const std::vector<TensorShape>& shapes);

/// Returns whether DDP looks for parameters without a gradient in every step.
bool searchesUnused(const config::TrainerConfig& trainer);

/// Tensors of one type that one broadcast sends.
struct CoalescedTensors {
    std::string dtype;
    std::int64_t elements = 0;
    std::vector<std::size_t> tensors; ///< positions in `shapes`
};

/// Returns the broadcasts of c10d's broadcast_coalesced for these tensors: one per type and 250 MiB, in the order of
/// the first tensor of each.
std::vector<CoalescedTensors> coalesced(const std::vector<TensorShape>& shapes,
                                        const std::vector<std::size_t>& tensors);

} // namespace rankscope::plan
