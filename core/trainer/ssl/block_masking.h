// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe.h"
#include "core/trainer/libtorch.h"

#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// NeMo RandomBlockMasking: blocks of frames are replaced by one (random, usually frozen) vector. Draws from the
/// default CPU generator in NeMo's order, so one seed gives its masks.
class BlockMaskingImpl : public torch::nn::Module {
public:
    explicit BlockMaskingImpl(const config::MaskingConfig& config);

    /// [B, frames] bool on the CPU, true where masked.
    torch::Tensor draw(const std::vector<std::int64_t>& lengths, std::int64_t frames) const;
    /// features with the masked frames replaced; `timeDim` is 1 for [B, T, D], 2 for [B, D, T].
    torch::Tensor apply(const torch::Tensor& features, const torch::Tensor& mask, int timeDim) const;

    torch::Tensor maskEmbedding; ///< [feat_in]

private:
    void drawOverlapping(bool* mask, std::int64_t length, std::int64_t frames) const;
    void drawSeparate(bool* mask, std::int64_t length, std::int64_t frames) const;

    config::MaskingConfig m_config;
};
TORCH_MODULE(BlockMasking);

} // namespace rankscope::trainer
