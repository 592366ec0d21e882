// SPDX-License-Identifier: Apache-2.0
// Explains a number of elements by the parts of the model that add up to it.
#pragma once

#include "core/plan/cost/model_shapes.h"
#include "core/plan/result/planned_collective.h"

#include <vector>

namespace rankscope::plan {

/// Returns one term per part of the model, in the order of the first tensor of each: "16 x 2 x 176" of the running
/// averages, "31,320" of the decoder.
std::vector<CountTerm> countTerms(const std::vector<TensorShape>& shapes, const std::vector<std::size_t>& tensors);

} // namespace rankscope::plan
