// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/masked_loss.h"

namespace rankscope::trainer {

torch::Tensor countedFrames(const torch::Tensor& mask, const config::LossConfig& config) {
    const std::int64_t frames = mask.size(1) / config.combineTimeSteps;
    const auto share = mask.to(torch::kFloat32).reshape({mask.size(0), frames, config.combineTimeSteps}).mean(-1);
    return share > config.maskThreshold;
}

torch::Tensor maskedTokenLoss(const torch::Tensor& logProbs, const torch::Tensor& tokens, const torch::Tensor& counted,
                              const config::LossConfig& config) {
    const std::int64_t books = config.numDecoders;
    const auto index = counted.to(logProbs.device()).flatten().nonzero().squeeze(1); // [N]
    const auto targets = tokens.reshape({-1, books}).index_select(0, index);         // [N, books]
    const bool squeezed = config.squeezeSingle && books == 1;
    const bool allFrames = logProbs.dim() == (squeezed ? 3 : 4);
    auto rows = allFrames ? logProbs.reshape({-1, logProbs.size(2), books}).index_select(0, index)
                          : logProbs.reshape({-1, logProbs.size(1), books}); // [N, classes, books]
    if (books == 1)
        return torch::nll_loss(rows.squeeze(-1), targets.squeeze(-1));
    if (rows.is_cuda() && at::globalContext().deterministicAlgorithms()) // there nll_loss2d sums in any order
        return torch::nll_loss(rows.transpose(1, 2).flatten(0, 1), targets.flatten());
    return torch::nll_loss2d(rows.unsqueeze(-1), targets.unsqueeze(-1));
}

} // namespace rankscope::trainer
