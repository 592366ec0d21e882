// SPDX-License-Identifier: Apache-2.0
// Column statistics of a [rows, channels] matrix and the element-wise passes of batch norm. float32; any device.
#pragma once

#include "core/trainer/libtorch.h"

#include <utility>

namespace rankscope::trainer {

/// Mean and biased variance of each column, [C] float64 each.
std::pair<torch::Tensor, torch::Tensor> columnMoments(const torch::Tensor& x);

/// (x - mean) * scale + shift per column.
torch::Tensor columnAffine(const torch::Tensor& x, const torch::Tensor& mean, const torch::Tensor& scale,
                           const torch::Tensor& shift);

/// [2C] float64: sum of dy, then sum of dy * (x - mean), per column.
torch::Tensor columnGradientSums(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& mean);

/// (dy - a - (x - mean) * b) * scale per column: the gradient of batch norm with respect to its input.
torch::Tensor columnGradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& mean,
                             const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& scale);

} // namespace rankscope::trainer
