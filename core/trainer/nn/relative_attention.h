// SPDX-License-Identifier: Apache-2.0
// The core of Transformer-XL attention (arXiv 1901.02860, section 3.3) without its linear layers.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// Which frames a frame may see. In every row the visible keys are one interval, which is all the core needs.
struct AttentionSpan {
    std::vector<std::int64_t> lengths;           ///< valid frames of each utterance
    std::array<std::int64_t, 2> context{-1, -1}; ///< frames to the left and right, -1: all
    std::int64_t chunk = 0;               ///< 0: sliding (NeMo "regular"); else chunk length (NeMo "chunked_limited")
    mutable torch::Tensor hiddenOnDevice; ///< [B, T, T] bool, made once for all layers; not on the CPU

    struct Interval {
        std::int64_t begin = 0, end = 0;
    };
    /// Keys that frame `query` of an utterance with `valid` frames sees; empty for a padded frame.
    Interval visible(std::int64_t query, std::int64_t valid) const;
};

/// q, k, v [B, T, D]; p [2T - 1, D] projected position table, from distance T-1 down to -(T-1); biasU, biasV [H, D /
/// H]. Returns the attended values [B, T, D]; padded frames give 0. Draws dropout from the default generator when
/// dropout > 0. q, k, v and p have one dtype, that of the products; scores and softmax are float32, as are the biases.
torch::Tensor relativeAttention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                const torch::Tensor& p, const torch::Tensor& biasU, const torch::Tensor& biasV,
                                const AttentionSpan& span, double dropout);

} // namespace rankscope::trainer
