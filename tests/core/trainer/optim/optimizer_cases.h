// SPDX-License-Identifier: Apache-2.0
// What the optimizers are tried with. Apart from the test, so that no file reads LibTorch, RapidCheck and JSON at once.
#pragma once

#include "core/config/recipe/recipe.h"

#include <functional>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// What PyTorch made of two parameters in 12 steps (data/make_optim_references.py).
struct OptimizerReference {
    std::string name; ///< of the optimizer, and its options
    config::OptimConfig options;
    std::vector<double> a, b;
};
/// Ends the test program when the file cannot be read.
std::vector<OptimizerReference> optimizerReferences(const std::string& file);

/// The options that PyTorch has without a word.
config::OptimConfig defaultOptions(const std::string& name);

/// Of element i of a parameter, as in make_optim_references.py.
double gradientOf(int parameter, int step, int i);

struct OptimizerTrial {
    config::OptimConfig options;
    bool isFloat32 = false;
    int size = 1; ///< of the only parameter
};
/// False, with the smallest counterexample on standard error, when `agrees` is false for any options that
/// makeOptimizer() takes.
bool holdsForAnyOptions(const std::string& what, const std::function<bool(const OptimizerTrial&)>& agrees);

} // namespace rankscope::trainer
