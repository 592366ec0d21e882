// SPDX-License-Identifier: Apache-2.0
// What an optimizer of makeOptimizer() remembers, as named tensors: for checkpoints.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/named_tensors.h"

#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

namespace rankscope::trainer {

/// Under the names of the state_dict of PyTorch in Python: "<index>.exp_avg", "<index>.exp_avg_sq", "<index>.step" and
/// with amsgrad "<index>.max_exp_avg_sq" of adam and adamw, "<index>.momentum_buffer" of sgd with momentum. The index
/// counts the parameters over all groups; one that never had a gradient has no entry. The tensors are the optimizer's
/// own and change with its next step; step is a float32 number, as there. Hyper-parameters are the recipe's, not part
/// of it. Throws std::invalid_argument for an optimizer of another kind.
NamedTensors optimizerState(const torch::optim::Optimizer& optimizer);

/// Takes copies of such tensors in place of all that the optimizer remembers. When a name, shape, dtype or number does
/// not fit the optimizer, the error says which, and nothing has changed.
Result<void> loadOptimizerState(torch::optim::Optimizer& optimizer, const NamedTensors& state);

} // namespace rankscope::trainer
