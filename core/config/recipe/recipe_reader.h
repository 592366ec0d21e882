// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"

namespace rankscope::config {

struct KeySchema;
struct Node;

/// Reads a tree that check() has accepted and withCodeDefaults() has completed; configHash stays 0.
Recipe recipeOf(const Node& tree);

/// Reads the model of a tree that check() has accepted.
ModelConfig readModelConfig(const Node& root, const KeySchema& facts);

/// Reads one item of rankscope.faults.
FaultConfig readFault(const Node& section);

} // namespace rankscope::config
