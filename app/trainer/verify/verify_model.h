// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/trainer/verify/verify_reference.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/named_tensors.h"

#include <c10/core/Device.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// How many times its usual tolerance a figure may have where the model's own noise asks for it.
inline constexpr double kVerifyMostNoise = 10;

/// One kind of figure: the worst of it, where that was, and how much is allowed there.
struct VerifyCheck {
    std::string name;
    double worst = 0;
    double limit = 0;
    bool atLeast = false; ///< the worst must not be below the limit (a share); else not above
    std::string tensor;   ///< where the worst was
    /// There, between two computations of the model whose weights differ in their last bit; none: not estimated.
    std::optional<double> noise{};

    bool passed() const { return atLeast ? worst >= limit : worst <= limit; } // NaN fails either way
};

/// Runs the model, beginning with the weights `initial`, against the reference: mel, masks, tokens, log-probabilities,
/// gradients, training steps, running statistics, evaluation. A second time with weights that differ in their last bit:
/// where that alone changes a figure by as much as its tolerance, no two programs agree better, and four times that is
/// allowed, up to kVerifyMostNoise times the tolerance (a running mean behind a bias: up to a quarter of the largest).
/// Error: the reference lacks a tensor that the model has. Throws std::invalid_argument when the configuration is not
/// supported or the weights do not fit it. Devices other than the CPU add up in another order, and have wider
/// tolerances (docs/benchmarks.md).
Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference,
                                             const StateDict& initial, c10::Device device = c10::kCPU);
/// With the reference's own weights.
Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference);

} // namespace rankscope::trainer
