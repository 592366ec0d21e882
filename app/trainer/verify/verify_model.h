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

/// A checked reference file: everything that verification reads from it exists and has a valid type and shape.
struct Reference {
    SafeTensors file;
    NestInput input;
    std::vector<double> losses, rates; ///< of each step
    std::vector<std::uint64_t> seeds;  ///< torch.manual_seed before each step
    std::string nemo;                  ///< the version that wrote it; empty: unknown

    std::size_t steps() const { return seeds.size(); }
    /// Returns the name of the mask that step `i` drew.
    static std::string maskName(std::size_t i) { return i == 0 ? "out.mask" : "step" + std::to_string(i) + ".mask"; }
};

Result<Reference> readReference(const std::string& path);

/// Largest factor by which a figure's tolerance is widened because of the model's own noise.
inline constexpr double kVerifyMostNoise = 10;

/// Result for one kind of figure: the worst value, where it occurred, and the limit there.
struct VerifyCheck {
    Message name;
    double worst = 0;
    double limit = 0;
    bool atLeast = false; ///< `worst` must be at least the limit (a share); else at most
    Message tensor;       ///< in which the worst value occurred
    /// Difference there between two computations whose weights differ in their last bit; none: not estimated.
    std::optional<double> noise{};

    bool passed() const { return atLeast ? worst >= limit : worst <= limit; } // NaN fails either way
};

/// Compares the model, starting with the weights `initial`, with the reference: mel, masks, tokens, log-probabilities,
/// gradients, training steps, running statistics, evaluation. Then runs it again with weights that differ in their last
/// bit: if that alone changes a figure by as much as its tolerance, no two programs agree better, so four times the
/// change is allowed, up to kVerifyMostNoise times the tolerance (for a running mean after a bias: up to a quarter of
/// the largest). Returns an error if the reference lacks a tensor that the model has. Throws std::invalid_argument if
/// the configuration is not supported or the weights do not fit it. Devices other than the CPU sum in a different order
/// and have wider tolerances (docs/gpu.md).
Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference,
                                             const StateDict& initial, c10::Device device = c10::kCPU);
/// The same, with the reference's own weights.
Result<std::vector<VerifyCheck>> verifyModel(const config::ModelConfig& config, const Reference& reference);

} // namespace rankscope::trainer
