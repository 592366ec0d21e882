// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// CPU: returns |spectrum|^power weighted by the triangles, skipping the zeros of the filterbank. spectrum [B, frames,
/// bins] complex64 contiguous, fb [1, mels, bins] -> [B, frames, mels] float32.
torch::Tensor melPowerCpu(const torch::Tensor& spectrum, const torch::Tensor& fb, double magPower);

enum class MelNormalisation { None, PerFeature, AllFeatures };

/// CPU: normalizes to mean 0 and deviation 1 over the valid frames, transposes and pads: mel [B, frames, mels] -> [B,
/// mels, paddedFrames]; frames beyond len are padValue.
torch::Tensor normalisedCpu(const torch::Tensor& mel, const torch::Tensor& len, MelNormalisation kind,
                            std::int64_t paddedFrames, double padValue);

/// Does the same with ATen operations, on any device.
torch::Tensor normalisedAny(const torch::Tensor& mel, const torch::Tensor& len, MelNormalisation kind,
                            std::int64_t paddedFrames, double padValue);

} // namespace rankscope::trainer
