// SPDX-License-Identifier: Apache-2.0
// CPU kernels of dw_striding sub-sampling, channels last, so that vector instructions work on neighboring channels.
// All kernels are 3x3 with stride 2 and a border of one row and column of zeros; float32.
#pragma once

#include "core/trainer/libtorch.h"

#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// (n + 2 - 3) / 2 + 1
inline std::int64_t strided(std::int64_t n) {
    return (n - 1) / 2 + 1;
}

/// Runs the first convolution, ReLU and the first depthwise convolution in one pass: the largest activation of the
/// model is never stored; backward recomputes it. x [B, T, F] without gradient, w0 and w1 [C, 1, 3, 3] -> [B, T/4, F/4,
/// C]. Frames at or beyond lengths[b] are read as 0, before both convolutions.
torch::Tensor firstStages(const torch::Tensor& x, const torch::Tensor& w0, const torch::Tensor& b0,
                          const torch::Tensor& w1, const torch::Tensor& b1, const std::vector<std::int64_t>& lengths);

/// x [B, T, F, C] -> [B, T/2, F/2, C].
torch::Tensor depthwiseStage(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// ReLU of x [B, T, F, C]; 0 in frames at or beyond lengths[b].
torch::Tensor maskedRelu(const torch::Tensor& x, const std::vector<std::int64_t>& lengths);

} // namespace rankscope::trainer
