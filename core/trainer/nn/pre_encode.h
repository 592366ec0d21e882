// SPDX-License-Identifier: Apache-2.0
// What makes encoder frames of mel frames (NeMo's pre_encode), and the reduction between or after the layers.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// Fewer, other frames: [B, T, in] -> [B, T', out], and the valid frames of each utterance.
class FrameReducer {
public:
    using Frames = std::pair<torch::Tensor, std::vector<std::int64_t>>;

    virtual ~FrameReducer() = default;
    virtual Frames forward(const torch::Tensor& x, const std::vector<std::int64_t>& lengths) = 0;
    /// What holds its weights under NeMo's names.
    virtual std::shared_ptr<torch::nn::Module> module() = 0;
};

/// By convolutions, by stacking frames (NeMo StackingSubsampling), or, with subsampling_factor 1, one linear layer.
std::shared_ptr<FrameReducer> makePreEncode(const config::EncoderConfig& config);

/// NeMo SubsamplingReductionModule: the largest of several frames, or convolutions of stride 2; null without one.
std::shared_ptr<FrameReducer> makeReduction(const config::EncoderConfig& config);

} // namespace rankscope::trainer
