// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"
#include "core/trainer/nn/attention.h"
#include "core/trainer/nn/batch_norm.h"

#include <torch/nn/modules/normalization.h>

namespace rankscope::trainer {

/// NeMo ConformerFeedForward: linear, SiLU, dropout, linear.
class FeedForwardImpl : public torch::nn::Module {
public:
    FeedForwardImpl(int width, int hidden, double dropout, bool bias);
    torch::Tensor forward(const torch::Tensor& x);

    torch::nn::Linear linear1{nullptr}, linear2{nullptr};

private:
    double m_dropout;
};
TORCH_MODULE(FeedForward);

/// NeMo FusedBatchNorm1d: a batch norm with fixed statistics, reduced to scale and shift, [B, T, C] -> [B, T, C].
class FusedBatchNormImpl : public torch::nn::Module {
public:
    explicit FusedBatchNormImpl(int channels);
    torch::Tensor forward(const torch::Tensor& x) { return torch::addcmul(bias, x, weight); }

    torch::Tensor weight, bias; ///< [C]
};
TORCH_MODULE(FusedBatchNorm);

/// NeMo ConformerConvolution: pointwise, GLU, depthwise over time, norm, SiLU, pointwise. Stays in [B, T, D].
class ConvolutionImpl : public torch::nn::Module {
public:
    explicit ConvolutionImpl(const config::EncoderConfig& config);
    torch::Tensor forward(const torch::Tensor& x, const std::vector<std::int64_t>& lengths);

    torch::nn::Conv1d pointwise1{nullptr}, depthwise{nullptr}, pointwise2{nullptr};
    BatchNorm batchNorm{nullptr};            ///< conv_norm_type: batch_norm
    torch::nn::LayerNorm layerNorm{nullptr}; ///< conv_norm_type: layer_norm
    torch::nn::GroupNorm groupNorm{nullptr}; ///< conv_norm_type: group_normN
    FusedBatchNorm fusedNorm{nullptr};       ///< conv_norm_type: fused_batch_norm; none of these: instance_norm

private:
    void makeNorm(const config::EncoderConfig& config);
    torch::Tensor normalised(const torch::Tensor& x);

    std::int64_t m_left = 0, m_right = 0;
};
TORCH_MODULE(Convolution);

/// NeMo ConformerLayer: half feed-forward, attention, convolution, half feed-forward, norm; [B, T, D].
class ConformerLayerImpl : public torch::nn::Module {
public:
    /// Shared biases: see RelPositionAttentionOptions.
    ConformerLayerImpl(const config::EncoderConfig& config, const torch::Tensor& sharedBiasU,
                       const torch::Tensor& sharedBiasV);
    torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& positions, const AttentionSpan& span);

    torch::nn::LayerNorm normFeedForward1{nullptr}, normConv{nullptr}, normSelfAtt{nullptr}, normFeedForward2{nullptr},
        normOut{nullptr};
    FeedForward feedForward1{nullptr}, feedForward2{nullptr};
    Convolution conv{nullptr};
    RelPositionAttention selfAttn{nullptr}; ///< self_attention_model: rel_pos
    PlainAttention plainAttn{nullptr};      ///< self_attention_model: abs_pos

private:
    torch::Tensor attended(const torch::Tensor& x, const torch::Tensor& positions, const AttentionSpan& span) {
        return selfAttn ? selfAttn(x, positions, span) : plainAttn(x, span);
    }

    double m_dropout;
};
TORCH_MODULE(ConformerLayer);

} // namespace rankscope::trainer
