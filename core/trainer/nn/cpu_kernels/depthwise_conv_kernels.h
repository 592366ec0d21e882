// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// Depthwise convolution over time of x [B, T, C] (stride 1) with zero padding `left` before and `right` after; frames
/// at or beyond lengths[b] are read as 0. weight [C, 1, K], bias [C] or undefined -> [B, T + left + right - K + 1, C].
/// On the CPU bfloat16 and half are computed in float32 and returned as float32.
torch::Tensor depthwiseConv(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                            std::int64_t left, std::int64_t right, const std::vector<std::int64_t>& lengths);

/// [B, T] bool, true in frames at or beyond the length.
torch::Tensor paddedFrames(const std::vector<std::int64_t>& lengths, std::int64_t frames, const torch::Device& device);

} // namespace rankscope::trainer
