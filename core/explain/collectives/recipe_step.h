// SPDX-License-Identifier: Apache-2.0
// The collectives of a training step as a recipe implies them, each with the tensors that its elements are.
#pragma once

#include "core/base/text/message.h"
#include "core/config/recipe/recipe.h"
#include "core/explain/model/hang_evidence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::explain {

/// A collective by operation and number of elements.
struct StepCall {
    std::string tag; ///< plan::CollectivePlan::tag
    CollectiveOp op = CollectiveOp::Unknown;
    std::string dtype;         ///< "float32"; empty: any
    std::int64_t elements = 0; ///< that one rank gives
    Message name;
    Message arithmetic; ///< of the elements, without the sum: "9,999 x 512 (position table) + …"
};

/// The collectives of one recipe's step.
struct RecipeStep {
    std::string recipe;  ///< "nest_large.yaml", or the file that the user named
    std::string trainer; ///< "nemo" or "rankscope"
    std::vector<StepCall> calls;
};

/// Returns the collectives of NeMo's step: DistributedDataParallel broadcasts all buffers before each forward that
/// follows an exchange of gradients, with the position table, which is a buffer that no checkpoint has.
RecipeStep nemoStep(std::string name, const config::Recipe& recipe);

/// Returns the collectives of the step of Rankscope's trainer.
RecipeStep rankscopeStep(std::string name, const config::Recipe& recipe);

/// Returns the steps of the NEST recipes that we ship, which are those of NeMo's table of sizes: small to xxlarge.
std::vector<RecipeStep> knownSteps();

/// Returns the recipe of a size of NeMo's table, as far as its collectives depend on it. Sizes: "small", "medium",
/// "large", "xlarge", "xxlarge".
config::Recipe nestRecipe(const std::string& size);

/// Returns the sum of two terms.
Message plusTerm(const Message& sum, const Message& term);

/// Returns the names of collectives whose elements do not depend on the recipe.
Message lengthSyncName();
Message batchNormGatherName();
Message floatBuffersName();

} // namespace rankscope::explain
