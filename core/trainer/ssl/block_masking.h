// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// NeMo RandomBlockMasking: blocks of frames are replaced by one (random, usually frozen) vector. Draws from the
/// default generator in the order of the requested NeMo version, so a seed gives that version's masks: 2.7.3 draws
/// utterance by utterance on the CPU, 3.0.0 the whole batch at once on the device.
class BlockMaskingImpl : public torch::nn::Module {
public:
    explicit BlockMaskingImpl(const config::MaskingConfig& config, config::NemoVersion nemo = config::kUnsaidNemo);

    /// Returns a mask [B, frames] bool, on the device that draws, true for masked frames; no length is above `frames`.
    torch::Tensor draw(const std::vector<std::int64_t>& lengths, std::int64_t frames,
                       const torch::Device& device = torch::kCPU) const;
    /// Returns the features with the masked frames replaced; `timeDim` is 1 for [B, T, D], 2 for [B, D, T].
    torch::Tensor apply(const torch::Tensor& features, const torch::Tensor& mask, int timeDim) const;

    torch::Tensor maskEmbedding; ///< [feat_in]

private:
    // NeMo 2.7.3: one utterance
    void drawOverlapping(bool* mask, std::int64_t length, std::int64_t frames) const;
    void drawSeparate(bool* mask, std::int64_t length, std::int64_t frames) const;
    // NeMo 3.0.0: the whole batch; lengths [B, 1] int64 on the device that draws
    torch::Tensor overlappingBlocks(const torch::Tensor& lengths, std::int64_t frames) const;
    torch::Tensor separateBlocks(const torch::Tensor& lengths, std::int64_t frames) const;

    config::MaskingConfig m_config;
    config::NemoVersion m_nemo;
};
TORCH_MODULE(BlockMasking);

} // namespace rankscope::trainer
