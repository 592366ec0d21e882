// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/precision/grad_scaler.h"

#include "core/trainer/argument_error.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace rankscope::trainer {

GradScaler::GradScaler(at::Device device, const GradScalerOptions& options)
    : m_options(options), m_scale(torch::full({}, options.initScale, torch::dtype(torch::kFloat32).device(device))),
      m_tracker(torch::zeros({}, torch::dtype(torch::kInt32).device(device))), m_found(torch::zeros_like(m_scale)) {}

void GradScaler::unscale(const std::vector<torch::Tensor>& parameters) {
    const torch::NoGradGuard noGrad;
    m_found.zero_();
    std::vector<torch::Tensor> gradients;
    for (const auto& parameter : parameters)
        if (parameter.grad().defined())
            gradients.push_back(parameter.grad());
    const auto inverse = m_scale.to(torch::kFloat64).reciprocal().to(torch::kFloat32); // as in torch: rounded once
    if (!gradients.empty())
        at::_amp_foreach_non_finite_check_and_unscale_(gradients, m_found, inverse);
}

void GradScaler::update() {
    m_skipped += overflowed() ? 1 : 0;
    at::_amp_update_scale_(m_scale, m_tracker, m_found, m_options.growthFactor, m_options.backoffFactor,
                           m_options.growthInterval);
}

std::string GradScaler::state() const {
    return fmt::format("{:a} {} {}", currentScale(), m_tracker.item<int>(), m_skipped);
}

void GradScaler::setState(const std::string& state) {
    double scale = 0;
    int tracker = 0, read = 0;
    long long skipped = 0;
    if (std::sscanf(state.c_str(), "%la %d %lld%n", &scale, &tracker, &skipped, &read) != 3 ||
        static_cast<std::size_t>(read) != state.size() || !std::isfinite(scale) || scale <= 0 || tracker < 0 ||
        skipped < 0)
        throw ArgumentError("grad_scaler", {"\"{}\" is not a gradient scaler state", state});
    m_scale.fill_(scale);
    m_tracker.fill_(tracker);
    m_found.zero_();
    m_skipped = skipped;
}

} // namespace rankscope::trainer
