// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/named_tensors.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// The 2-norm over all gradients that are there; 0 without any.
double gradientNorm(const std::vector<torch::Tensor>& parameters);
/// As torch.nn.utils.clip_grad_norm_, given the norm.
void clipByNorm(const std::vector<torch::Tensor>& parameters, double norm, double largest);
/// As torch.nn.utils.clip_grad_value_.
void clipByValue(const std::vector<torch::Tensor>& parameters, double largest);
/// The first parameter whose gradient holds a NaN or an infinity.
std::optional<std::string> firstNotFiniteGradient(const NamedTensors& parameters);

} // namespace rankscope::trainer
