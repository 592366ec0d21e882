// SPDX-License-Identifier: Apache-2.0
// Finds out what a collective is for, from its operation and its number of elements.
#pragma once

#include "core/explain/collectives/known_recipes.h"
#include "core/explain/model/explanation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

/// Returns what the collective can be, most likely first; at most four names, empty if none is known. A name whose
/// `recipe` is empty rests on the form of the number alone: 513 elements that are gathered into 2,052 are 2 x 256 + 1
/// of four ranks. `recipes` are tried in the order of preference.
std::vector<NamedCollective> nameCollective(const CollectiveCall& call, const std::vector<RecipeCollectives>& recipes);

/// Returns a collective's operation in the field's words: "all-reduce"; "collective" if it is not known.
std::string_view operationName(CollectiveOp op);

/// Returns the type in PyTorch's spelling: "Float", "torch.float32" and "c10::Float" are "float32".
std::string canonicalType(std::string_view dtype);

} // namespace rankscope::explain
