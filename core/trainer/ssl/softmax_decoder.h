// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// NeMo MultiSoftmaxDecoder: one linear layer and a softmax for each book.
class SoftmaxDecoderImpl : public torch::nn::Module {
public:
    explicit SoftmaxDecoderImpl(const config::DecoderConfig& config);

    /// Maps encoded [..., D] to log-probabilities [..., classes, books] ([..., classes] with squeeze_single and one
    /// book).
    torch::Tensor forward(const torch::Tensor& encoded);

private:
    config::DecoderConfig m_config;
    torch::nn::Conv1d m_layer{nullptr};
};
TORCH_MODULE(SoftmaxDecoder);

} // namespace rankscope::trainer
