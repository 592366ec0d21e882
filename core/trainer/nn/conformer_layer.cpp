// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/conformer_layer.h"

#include "core/config/check/model_support.h"
#include "core/trainer/nn/cpu_kernels/depthwise_conv_kernels.h"
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"

namespace rankscope::trainer {
namespace {

torch::nn::LayerNorm layerNormOf(int width) {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

/// Applies a convolution of kernel 1 as a linear layer: [B, T, in] -> [B, T, out].
torch::Tensor pointwise(const torch::Tensor& x, const torch::nn::Conv1d& conv) {
    return torch::linear(x, conv->weight.squeeze(-1), conv->bias);
}

/// Returns residual + dropout of x, both [B, T, D], with random numbers drawn over time first: NeMo's convolution ends
/// in [B, D, T], and drawing as torch does must drop the same values.
torch::Tensor addDroppedTimeFirst(const torch::Tensor& residual, const torch::Tensor& x, double p) {
    if (!drawsAsTorch() || p <= 0)
        return addDropped(residual, x, p, 1.0);
    const auto onCpu = x.options().device(torch::kCPU);
    const auto keep = torch::empty({x.size(0), x.size(2), x.size(1)}, onCpu).bernoulli_(1 - p).div_(1 - p);
    return residual + x * keep.transpose(1, 2).contiguous().to(x.device());
}

} // namespace

FusedBatchNormImpl::FusedBatchNormImpl(int channels)
    : weight(register_parameter("weight", torch::ones({channels}))),
      bias(register_parameter("bias", torch::zeros({channels}))) {}

FeedForwardImpl::FeedForwardImpl(int width, int hidden, double dropout, bool bias) : m_dropout(dropout) {
    linear1 = register_module("linear1", torch::nn::Linear(torch::nn::LinearOptions(width, hidden).bias(bias)));
    linear2 = register_module("linear2", torch::nn::Linear(torch::nn::LinearOptions(hidden, width).bias(bias)));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
    return linear2(siluDropped(linear1(x), is_training() ? m_dropout : 0.0));
}

ConvolutionImpl::ConvolutionImpl(const config::EncoderConfig& c) {
    const auto kernel = c.convKernelSize;
    m_left = m_right = (kernel - 1) / 2;
    if (c.convContextCausal) {
        m_left = kernel - 1;
        m_right = 0;
    } else if (c.convContextSize) {
        m_left = (*c.convContextSize)[0];
        m_right = (*c.convContextSize)[1];
    }
    const auto conv = [&](int in, int out, int k, int groups) {
        return torch::nn::Conv1d(torch::nn::Conv1dOptions(in, out, k).groups(groups).bias(c.useBias));
    };
    pointwise1 = register_module("pointwise_conv1", conv(c.dModel, 2 * c.dModel, 1, 1));
    depthwise = register_module("depthwise_conv", conv(c.dModel, c.dModel, kernel, c.dModel));
    makeNorm(c);
    pointwise2 = register_module("pointwise_conv2", conv(c.dModel, c.dModel, 1, 1));
}

void ConvolutionImpl::makeNorm(const config::EncoderConfig& c) {
    static constexpr const char* kName = "batch_norm"; // NeMo's name for every norm
    if (c.convNormType == "layer_norm")
        layerNorm = register_module(kName, layerNormOf(c.dModel));
    else if (c.convNormType == "batch_norm")
        batchNorm = register_module(kName, BatchNorm(c.dModel));
    else if (c.convNormType == "fused_batch_norm")
        fusedNorm = register_module(kName, FusedBatchNorm(c.dModel));
    else if (const int groups = config::normGroups(c.convNormType); groups > 0)
        groupNorm = register_module(kName, torch::nn::GroupNorm(torch::nn::GroupNormOptions(groups, c.dModel)));
    // instance_norm has neither weights nor running statistics
}

torch::Tensor ConvolutionImpl::normalised(const torch::Tensor& x) {
    if (batchNorm)
        return batchNorm(x);
    if (layerNorm)
        return layerNorm(x);
    if (fusedNorm)
        return fusedNorm(x);
    const auto channelsFirst = x.transpose(1, 2); // [B, D, T]; padded frames count, as in NeMo
    if (groupNorm)
        return groupNorm(channelsFirst).transpose(1, 2);
    return torch::instance_norm(channelsFirst, {}, {}, {}, {}, true, 0.1, 1e-5, false).transpose(1, 2);
}

torch::Tensor ConvolutionImpl::forward(const torch::Tensor& x, const std::vector<std::int64_t>& lengths) {
    auto y = torch::glu(pointwise(x, pointwise1), -1);                                  // [B, T, D]
    y = depthwiseConv(y, depthwise->weight, depthwise->bias, m_left, m_right, lengths); // [B, T, D]
    return pointwise(siluDropped(normalised(y), 0.0), pointwise2);
}

ConformerLayerImpl::ConformerLayerImpl(const config::EncoderConfig& c, const torch::Tensor& sharedBiasU,
                                       const torch::Tensor& sharedBiasV)
    : m_dropout(c.dropout) {
    const int hidden = c.dModel * c.ffExpansionFactor;
    normFeedForward1 = register_module("norm_feed_forward1", layerNormOf(c.dModel));
    feedForward1 = register_module("feed_forward1", FeedForward(c.dModel, hidden, c.dropout, c.useBias));
    normConv = register_module("norm_conv", layerNormOf(c.dModel));
    conv = register_module("conv", Convolution(c));
    normSelfAtt = register_module("norm_self_att", layerNormOf(c.dModel));
    const RelPositionAttentionOptions attention{c.dModel, c.nHeads, c.dropoutAtt, c.useBias, sharedBiasU, sharedBiasV};
    if (c.selfAttentionModel == "abs_pos")
        plainAttn = register_module("self_attn", PlainAttention(attention));
    else
        selfAttn = register_module("self_attn", RelPositionAttention(attention));
    normFeedForward2 = register_module("norm_feed_forward2", layerNormOf(c.dModel));
    feedForward2 = register_module("feed_forward2", FeedForward(c.dModel, hidden, c.dropout, c.useBias));
    normOut = register_module("norm_out", layerNormOf(c.dModel));
}

torch::Tensor ConformerLayerImpl::forward(const torch::Tensor& x, const torch::Tensor& positions,
                                          const AttentionSpan& span) {
    const auto add = [&](const torch::Tensor& residual, const torch::Tensor& y, double factor) {
        return addDropped(residual, y, is_training() ? m_dropout : 0.0, factor);
    };
    auto residual = add(x, feedForward1(normFeedForward1(x)), 0.5);
    residual = add(residual, attended(normSelfAtt(residual), positions, span), 1.0);
    residual = addDroppedTimeFirst(residual, conv(normConv(residual), span.lengths), is_training() ? m_dropout : 0.0);
    residual = add(residual, feedForward2(normFeedForward2(residual)), 0.5);
    return normOut(residual);
}

} // namespace rankscope::trainer
