// SPDX-License-Identifier: Apache-2.0
// The core of Transformer-XL attention (arXiv 1901.02860, section 3.3) without its linear layers.
#pragma once

#include "core/trainer/libtorch.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// Defines which frames a frame may see. In every row the visible keys are one interval, which is all that the core
/// needs.
struct AttentionSpan {
    std::vector<std::int64_t> lengths;           ///< valid frames of each utterance
    std::array<std::int64_t, 2> context{-1, -1}; ///< frames to the left and right, -1: all
    std::int64_t chunk = 0;       ///< 0: sliding (NeMo "regular"); else chunk length (NeMo "chunked_limited")
    std::int64_t window = 0;      ///< above 0: this many frames on each side, with NeMo's rel_pos_local_attn, which
                                  ///< draws dropout for those only
    mutable torch::Tensor hidden; ///< the result of hiddenKeys(), shared by all layers

    struct KeyInterval {
        std::int64_t begin = 0, end = 0;
    };
    /// Returns the keys that frame `query` of an utterance with `valid` frames sees; empty for a padded frame.
    KeyInterval visible(std::int64_t query, std::int64_t valid) const;
    /// Returns [B, T, T] bool, true if the query (second) must not see the key (third), on the device of `like`.
    torch::Tensor hiddenKeys(std::int64_t batch, std::int64_t time, const torch::Tensor& like) const;
};

constexpr float kHiddenScore = -10000.0f; ///< NeMo's INF_VAL: the value of a score that must not count

/// q, k, v [B, T, D]; p [2T - 1, D] projected position table, from distance T-1 down to -(T-1); biasU, biasV [H, D /
/// H]. Returns the attended values [B, T, D]; padded frames give 0. Draws dropout from the default generator if dropout
/// > 0. q, k, v and p have one dtype, that of the products; scores and softmax are float32, as are the biases.
torch::Tensor relativeAttention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                const torch::Tensor& p, const torch::Tensor& biasU, const torch::Tensor& biasV,
                                const AttentionSpan& span, double dropout);

} // namespace rankscope::trainer
