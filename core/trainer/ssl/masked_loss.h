// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// Encoder frames that count: [B, T / combine] bool, true where more than mask_threshold of the frame is masked.
/// mask [B, T] bool.
torch::Tensor countedFrames(const torch::Tensor& mask, const config::LossConfig& config);

/// NeMo MultiMLMLoss: mean negative log-likelihood of the tokens over the counted frames and the books; NaN when no
/// frame counts. logProbs [B, T', classes(, books)] or, for the counted frames alone, [N, classes(, books)];
/// tokens [B, T'(, books)].
torch::Tensor maskedTokenLoss(const torch::Tensor& logProbs, const torch::Tensor& tokens, const torch::Tensor& counted,
                              const config::LossConfig& config);

} // namespace rankscope::trainer
