// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"
#include "core/trainer/nn/collective_hooks.h"

#include <memory>
#include <string>

namespace rankscope::trainer {

/// torch.nn.BatchNorm1d (eps 1e-5, momentum 0.1) over the rows of [B, T, C], with its state-dict names. With a
/// StatsExchange it is torch.nn.SyncBatchNorm: in training mode one gather forward and one sum backward per call, and
/// the result equals one process that sees all ranks' rows. Padded frames count, as in NeMo. bfloat16 and half inputs
/// give float32.
class BatchNormImpl : public torch::nn::Module {
public:
    explicit BatchNormImpl(int channels);

    torch::Tensor forward(const torch::Tensor& x);
    /// null: local statistics. `layer` names the exchange.
    void setStatsExchange(std::shared_ptr<StatsExchange> exchange, const std::string& layer);

    torch::Tensor weight, bias, runningMean, runningVar, numBatchesTracked;

private:
    std::shared_ptr<StatsExchange> m_exchange;
    std::string m_layer;
};
TORCH_MODULE(BatchNorm);

} // namespace rankscope::trainer
