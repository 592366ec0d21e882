// SPDX-License-Identifier: Apache-2.0
// Turns mel frames into encoder frames (NeMo's pre_encode), and reduces frames between or after the layers.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// Maps frames to fewer ones: [B, T, in] -> [B, T', out], and the valid frames of each utterance.
class FrameReducer {
public:
    using ReducedFrames = std::pair<torch::Tensor, std::vector<std::int64_t>>;

    virtual ~FrameReducer() = default;
    virtual ReducedFrames forward(const torch::Tensor& x, const std::vector<std::int64_t>& lengths) = 0;
    /// Returns the module that holds its weights under NeMo's names.
    virtual std::shared_ptr<torch::nn::Module> module() = 0;
};

/// Returns a reducer by convolutions, by stacking frames (NeMo StackingSubsampling), or, with subsampling_factor 1, one
/// linear layer.
std::shared_ptr<FrameReducer> makePreEncode(const config::EncoderConfig& config);

/// Returns NeMo's SubsamplingReductionModule: the maximum of several frames, or convolutions of stride 2; null if none
/// is configured.
std::shared_ptr<FrameReducer> makeReduction(const config::EncoderConfig& config);

} // namespace rankscope::trainer
