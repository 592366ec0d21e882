// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/named_tensors.h"
#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/tensor_files/safetensors.h"

#include <c10/core/Device.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// A reference file, checked: everything that verification reads from it is there and has a sound type and shape.
struct Reference {
    SafeTensors file;
    NestInput input;
    std::vector<double> losses, rates; ///< of each step
    std::vector<std::uint64_t> seeds;  ///< torch.manual_seed before each step
    std::string nemo;                  ///< the version that wrote it; empty: it does not say

    std::size_t steps() const { return seeds.size(); }
    /// Name of the mask that step `i` drew.
    static std::string maskName(std::size_t i) { return i == 0 ? "out.mask" : "step" + std::to_string(i) + ".mask"; }
};

Result<Reference> readReference(const std::string& path);

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
/// tolerances (docs/gpu.md).
Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference,
                                             const StateDict& initial, c10::Device device = c10::kCPU);
/// With the reference's own weights.
Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference);

} // namespace rankscope::trainer
