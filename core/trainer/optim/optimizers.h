// SPDX-License-Identifier: Apache-2.0
// The optimizers that NeMo resolves by name (nemo/core/optim/optimizers.py): adamw, adam, sgd, as PyTorch defines them;
// their state, and helpers for their gradients.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"
#include "core/trainer/named_tensors.h"

#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// Adam and AdamW whose step updates all parameters in one fused pass. State and serialized form are
/// torch::optim::AdamW's for both. Parameters without a gradient are left alone, as in PyTorch.
class FusedAdam final : public torch::optim::AdamW {
public:
    struct AdamVariant {
        bool decoupledDecay = true; ///< AdamW; Adam adds weight_decay times the weight to the gradient instead
        bool maximize = false;
    };
    FusedAdam(std::vector<torch::Tensor> parameters, const torch::optim::AdamWOptions& options, AdamVariant variant);
    torch::Tensor step(LossClosure closure = nullptr) override;

private:
    AdamVariant m_variant;
};

/// torch::optim::SGD whose step runs as one fused pass. State and serialized form are SGD's.
class FusedSgd final : public torch::optim::SGD {
public:
    FusedSgd(std::vector<torch::Tensor> parameters, const torch::optim::SGDOptions& options, bool maximize);
    torch::Tensor step(LossClosure closure = nullptr) override;

private:
    bool m_maximize;
};

/// Returns the optimizer named by config.name. Throws std::invalid_argument that names the key if a value is not
/// supported.
std::unique_ptr<torch::optim::Optimizer> makeOptimizer(const config::OptimConfig& config,
                                                       std::vector<torch::Tensor> parameters);

/// Releases the gradients: the next backward sets its own tensors instead of adding to zeros, which saves two passes
/// over all of them. A reducer copies them into its buckets and lets the parameters point there.
void releaseGradients(const std::vector<torch::Tensor>& parameters);

void setLearningRate(torch::optim::Optimizer& optimizer, double rate);

/// Returns the optimizer's state under the names of PyTorch's state_dict in Python: "<index>.exp_avg",
/// "<index>.exp_avg_sq", "<index>.step" and with amsgrad "<index>.max_exp_avg_sq" of adam and adamw,
/// "<index>.momentum_buffer" of sgd with momentum. The index counts the parameters over all groups; one that never had
/// a gradient has no entry. The tensors are the optimizer's own and change with its next step; step is a float32
/// number, as in Python. Hyper-parameters come from the recipe and are not included. Throws std::invalid_argument for
/// an optimizer of another kind.
NamedTensors optimizerState(const torch::optim::Optimizer& optimizer);

/// Replaces the optimizer's whole state by copies of such tensors. If a name, shape, dtype or number does not fit the
/// optimizer, the error says which, and nothing has changed.
Result<void> loadOptimizerState(torch::optim::Optimizer& optimizer, const NamedTensors& state);

/// Returns the 2-norm over all existing gradients; 0 if there are none.
double gradientNorm(const std::vector<torch::Tensor>& parameters);
/// Clips like torch.nn.utils.clip_grad_norm_, given the norm.
void clipByNorm(const std::vector<torch::Tensor>& parameters, double norm, double largest);
/// Clips like torch.nn.utils.clip_grad_value_.
void clipByValue(const std::vector<torch::Tensor>& parameters, double largest);
/// Returns the first parameter whose gradient contains NaN or infinity.
std::optional<std::string> firstNotFiniteGradient(const NamedTensors& parameters);

} // namespace rankscope::trainer
