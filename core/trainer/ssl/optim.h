// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe.h"

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::trainer {

/// torch::optim::AdamW whose step runs as one fused pass per parameter. State and serialised form are AdamW's.
/// Parameters without a gradient are left alone, as in PyTorch.
class FusedAdamW final : public torch::optim::AdamW {
public:
    using torch::optim::AdamW::AdamW;
    torch::Tensor step(LossClosure closure = nullptr) override;
};

/// Throws std::invalid_argument that names the key when the optimizer is not supported.
std::unique_ptr<FusedAdamW> makeOptimizer(const config::OptimConfig& config, std::vector<torch::Tensor> parameters);

/// Sets the gradients to 0 where they lie. Optimizer::zero_grad() would let go of them, which a reducer with
/// gradient_as_bucket_view does not survive.
void zeroGradients(const std::vector<torch::Tensor>& parameters);

void setLearningRate(torch::optim::Optimizer& optimizer, double rate);

/// The learning rate of every step: NeMo's NoamAnnealing, or constant without a schedule.
class LearningRateSchedule {
public:
    /// Throws std::invalid_argument that names the key.
    explicit LearningRateSchedule(const config::OptimConfig& config);
    /// Of the training step with this number, from 0. Steps 0 and 1 have the same, as in NeMo.
    double at(std::int64_t step) const;

private:
    double m_lr = 0, m_minLr = 0, m_normalise = 1;
    std::int64_t m_warmup = 0;
    bool m_noam = false;
};

} // namespace rankscope::trainer
