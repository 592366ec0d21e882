// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/tensor_files/safetensors.h"

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

} // namespace rankscope::trainer
