// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// NeMo ConvSubsampling, "dw_striding" and "striding": 3x3 convolutions of stride 2 over time and features, padded
/// frames kept at 0 between them, then a linear layer. [B, T, F] -> [B, ceil(T / factor), D].
class ConvSubsamplingImpl : public torch::nn::Module {
public:
    explicit ConvSubsamplingImpl(const config::EncoderConfig& config);

    /// lengths: valid input frames of each utterance; also returns those of the output.
    std::pair<torch::Tensor, std::vector<std::int64_t>> forward(const torch::Tensor& x,
                                                                const std::vector<std::int64_t>& lengths);

private:
    struct Stage {
        torch::nn::Conv2d strided{nullptr}, pointwise{nullptr};
    };
    torch::Tensor stage(Stage& stage, torch::Tensor x, std::vector<std::int64_t>& lengths);
    bool takesKernels(const torch::Tensor& x) const;
    torch::Tensor byKernels(const torch::Tensor& x, std::vector<std::int64_t>& lengths);
    void shrink(std::vector<std::int64_t>& lengths) const;
    std::int64_t outputLength(std::int64_t length) const;

    bool m_causal = false, m_depthwise = true;
    std::int64_t m_left = 1, m_right = 1; ///< padding of both axes
    torch::nn::Linear m_out{nullptr};
    std::vector<Stage> m_stages;
};
TORCH_MODULE(ConvSubsampling);

} // namespace rankscope::trainer
