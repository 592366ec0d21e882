// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// LibTorch's random number generators of one rank: what it draws next follows from this.
struct RngState {
    torch::Tensor cpu;    ///< uint8 [n]
    torch::Tensor device; ///< uint8 [n]; undefined: the rank trains on the CPU
};

/// Of the default generators of the CPU and, when it is a GPU, of `device`.
RngState captureRng(const torch::Device& device);

/// Error: the bytes are no such state, or the state has a GPU's and `device` is none (or the other way round).
Result<void> restoreRng(const RngState& state, const torch::Device& device);

} // namespace rankscope::trainer
