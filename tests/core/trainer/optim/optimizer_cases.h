// SPDX-License-Identifier: Apache-2.0
// Test cases for the optimizers, in a separate file so that no file includes LibTorch, RapidCheck and JSON at once.
#pragma once

#include "core/config/recipe/recipe.h"

#include <functional>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// PyTorch's results for two parameters in 12 steps (data/make_optim_references.py).
struct OptimizerReference {
    std::string name; ///< of the optimizer, and its options
    config::OptimConfig options;
    std::vector<double> a, b;
};
/// Ends the test program if the file cannot be read.
std::vector<OptimizerReference> optimizerReferences(const std::string& file);

/// Returns PyTorch's default options.
config::OptimConfig defaultOptions(const std::string& name);

/// Returns the gradient of element i of a parameter, as in make_optim_references.py.
double gradientOf(int parameter, int step, int i);

struct OptimizerTrial {
    config::OptimConfig options;
    bool isFloat32 = false;
    int size = 1; ///< of the only parameter
};
/// Returns whether `agrees` is true for all options that makeOptimizer() accepts; prints the smallest counterexample to
/// standard error if not.
bool holdsForAnyOptions(const std::string& what, const std::function<bool(const OptimizerTrial&)>& agrees);

} // namespace rankscope::trainer
