// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// The 2-norm over all gradients that are there; 0 without any.
double gradientNorm(const std::vector<torch::Tensor>& parameters);
/// As torch.nn.utils.clip_grad_norm_, given the norm.
void clipByNorm(const std::vector<torch::Tensor>& parameters, double norm, double largest);
/// As torch.nn.utils.clip_grad_value_.
void clipByValue(const std::vector<torch::Tensor>& parameters, double largest);
/// The first parameter whose gradient holds a NaN or an infinity.
std::optional<std::string> firstNotFiniteGradient(const std::vector<std::pair<std::string, torch::Tensor>>& parameters);

} // namespace rankscope::trainer
