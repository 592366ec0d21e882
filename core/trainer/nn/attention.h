// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"
#include "core/trainer/nn/relative_attention.h"

namespace rankscope::trainer {

struct RelPositionAttentionOptions {
    int width = 0, heads = 0; ///< model width D, heads H
    double dropout = 0;
    bool bias = true;
    torch::Tensor sharedBiasU, sharedBiasV; ///< defined: the layers share them (untie_biases: false)
};

/// NeMo RelPositionMultiHeadAttention: [B, T, D] -> [B, T, D].
class RelPositionAttentionImpl : public torch::nn::Module {
public:
    explicit RelPositionAttentionImpl(const RelPositionAttentionOptions& options);

    /// positions [2T - 1, D].
    torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& positions, const AttentionSpan& span);

    torch::Tensor posBiasU, posBiasV; ///< [H, D / H]
    torch::nn::Linear linearQ{nullptr}, linearK{nullptr}, linearV{nullptr}, linearOut{nullptr}, linearPos{nullptr};

private:
    double m_dropout = 0;
};
TORCH_MODULE(RelPositionAttention);

/// NeMo MultiHeadAttention: [B, T, D] -> [B, T, D]. Positions are already in the input (abs_pos).
class PlainAttentionImpl : public torch::nn::Module {
public:
    explicit PlainAttentionImpl(const RelPositionAttentionOptions& options);
    torch::Tensor forward(const torch::Tensor& x, const AttentionSpan& span);

    torch::nn::Linear linearQ{nullptr}, linearK{nullptr}, linearV{nullptr}, linearOut{nullptr};

private:
    int m_heads = 1;
    double m_dropout = 0;
};
TORCH_MODULE(PlainAttention);

/// Sinusoidal table of relative distances, NeMo RelPositionalEncoding. Not a buffer: it can be recomputed at any time.
class PositionTable {
public:
    explicit PositionTable(int width) : m_width(width) {}

    bool covers(std::int64_t frames) const { return m_frames >= frames; }
    /// Makes room for inputs of `frames` frames; keeps a longer table.
    void grow(std::int64_t frames);
    /// [2 * frames - 1, D], from distance frames-1 down to -(frames-1), on the device of `like`.
    torch::Tensor slice(std::int64_t frames, const torch::Tensor& like);
    /// [frames, D], from position 0 on: NeMo PositionalEncoding.
    torch::Tensor absolute(std::int64_t frames, const torch::Tensor& like);

private:
    int m_width;
    std::int64_t m_frames = 0;
    torch::Tensor m_table; ///< [2 * m_frames - 1, D]
};

} // namespace rankscope::trainer
