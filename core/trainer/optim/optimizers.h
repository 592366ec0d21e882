// SPDX-License-Identifier: Apache-2.0
// The optimizers that NeMo resolves by name (nemo/core/optim/optimizers.py): adamw, adam, sgd, as PyTorch defines them.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <vector>

namespace rankscope::trainer {

/// Adam and AdamW whose step runs as one fused pass over the parameters. State and serialised form are
/// torch::optim::AdamW's for both. Parameters without a gradient are left alone, as in PyTorch.
class FusedAdam final : public torch::optim::AdamW {
public:
    struct Variant {
        bool decoupledDecay = true; ///< AdamW; Adam adds weight_decay times the weight to the gradient instead
        bool maximize = false;
    };
    FusedAdam(std::vector<torch::Tensor> parameters, const torch::optim::AdamWOptions& options, Variant variant);
    torch::Tensor step(LossClosure closure = nullptr) override;

private:
    Variant m_variant;
};

/// torch::optim::SGD whose step runs as one fused pass. State and serialised form are SGD's.
class FusedSgd final : public torch::optim::SGD {
public:
    FusedSgd(std::vector<torch::Tensor> parameters, const torch::optim::SGDOptions& options, bool maximize);
    torch::Tensor step(LossClosure closure = nullptr) override;

private:
    bool m_maximize;
};

/// By config.name. Throws std::invalid_argument that names the key when a value is not supported.
std::unique_ptr<torch::optim::Optimizer> makeOptimizer(const config::OptimConfig& config,
                                                       std::vector<torch::Tensor> parameters);

/// Lets go of the gradients: the next backward puts its own tensors in their place instead of adding to zeros, which
/// saves two passes over all of them. A reducer copies them into its buckets and lets the parameters point there.
void releaseGradients(const std::vector<torch::Tensor>& parameters);

void setLearningRate(torch::optim::Optimizer& optimizer, double rate);

} // namespace rankscope::trainer
