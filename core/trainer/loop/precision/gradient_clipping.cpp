// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/precision/gradient_clipping.h"

#include <algorithm>

namespace rankscope::trainer {
namespace {

std::vector<torch::Tensor> gradientsOf(const std::vector<torch::Tensor>& parameters) {
    std::vector<torch::Tensor> gradients;
    gradients.reserve(parameters.size());
    for (const auto& parameter : parameters)
        if (parameter.grad().defined())
            gradients.push_back(parameter.grad());
    return gradients;
}

} // namespace

double gradientNorm(const std::vector<torch::Tensor>& parameters) {
    const torch::NoGradGuard noGrad;
    const auto gradients = gradientsOf(parameters);
    return gradients.empty() ? 0 : torch::stack(at::_foreach_norm(gradients, 2)).norm().item<double>();
}

void clipByNorm(const std::vector<torch::Tensor>& parameters, double norm, double largest) {
    const torch::NoGradGuard noGrad;
    const double scale = std::min(1.0, largest / (norm + 1e-6));
    const auto gradients = gradientsOf(parameters);
    if (!gradients.empty() && !(scale >= 1.0)) // a NaN scales too, as in PyTorch
        at::_foreach_mul_(gradients, scale);
}

void clipByValue(const std::vector<torch::Tensor>& parameters, double largest) {
    const torch::NoGradGuard noGrad;
    for (auto& gradient : gradientsOf(parameters))
        gradient.clamp_(-largest, largest);
}

std::optional<std::string> firstNotFiniteGradient(const NamedTensors& parameters) {
    for (const auto& [name, parameter] : parameters)
        if (parameter.grad().defined() && !torch::isfinite(parameter.grad()).all().item<bool>())
            return name;
    return std::nullopt;
}

} // namespace rankscope::trainer
