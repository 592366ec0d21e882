// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/subsampling.h"

#include "core/trainer/nn/cpu_kernels/depthwise_conv_kernels.h"
#include "core/trainer/nn/cpu_kernels/subsampling_kernels.h"

namespace rankscope::trainer {
namespace {

constexpr std::int64_t kKernel = 3, kStride = 2;

int stagesOf(int factor) {
    int stages = 0;
    for (; factor > 1; factor /= 2)
        ++stages;
    return stages;
}

} // namespace

ConvSubsamplingImpl::ConvSubsamplingImpl(const config::EncoderConfig& c)
    : m_causal(c.causalDownsampling), m_depthwise(c.subsampling == "dw_striding"), m_left(m_causal ? kKernel - 1 : 1),
      m_right(m_causal ? kStride - 1 : 1) {
    const std::int64_t channels = c.subsamplingConvChannels > 0 ? c.subsamplingConvChannels : c.dModel;
    const auto strided = [&](std::int64_t in, std::int64_t groups) {
        return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, channels, kKernel)
                                     .stride(kStride)
                                     .padding(m_causal ? 0 : m_left)
                                     .groups(groups));
    };
    const int stages = stagesOf(c.subsamplingFactor);
    std::int64_t features = c.featIn;
    for (int i = 0; i < stages; ++i) {
        Stage s;
        s.strided = strided(i == 0 ? 1 : channels, m_depthwise && i > 0 ? channels : 1);
        if (m_depthwise && i > 0)
            s.pointwise = torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, channels, 1));
        m_stages.push_back(s);
        features = outputLength(features);
    }
    m_out = register_module("out", torch::nn::Linear(channels * features, c.dModel));
    // NeMo uses an nn.Sequential, in which activations take numbers too
    const auto conv = register_module("conv", std::make_shared<torch::nn::Module>());
    int index = 0;
    for (const Stage& s : m_stages) {
        conv->register_module(std::to_string(index++), s.strided);
        if (s.pointwise)
            conv->register_module(std::to_string(index++), s.pointwise);
        ++index; // the activation
    }
}

std::int64_t ConvSubsamplingImpl::outputLength(std::int64_t length) const {
    const std::int64_t room = length + m_left + m_right - kKernel;
    return room < 0 ? 0 : room / kStride + 1;
}

void ConvSubsamplingImpl::shrink(std::vector<std::int64_t>& lengths) const {
    for (std::int64_t& n : lengths)
        n = outputLength(n);
}

torch::Tensor ConvSubsamplingImpl::stage(Stage& s, torch::Tensor x, std::vector<std::int64_t>& lengths) {
    if (m_causal)
        x = torch::constant_pad_nd(x, {m_left, m_right, m_left, m_right}, 0);
    x = s.strided(x);
    if (s.pointwise)
        x = s.pointwise(x);
    shrink(lengths);
    // NeMo multiplies by the mask before and after every layer; once before the activation has the same effect
    const auto padded = paddedFrames(lengths, x.size(2), x.device()).view({x.size(0), 1, x.size(2), 1});
    return x.masked_fill_(padded, 0).relu_();
}

bool ConvSubsamplingImpl::takesKernels(const torch::Tensor& x) const {
    return m_depthwise && !m_causal && m_stages.size() > 1 && x.is_cpu() && x.scalar_type() == torch::kFloat32 &&
           !x.requires_grad();
}

torch::Tensor ConvSubsamplingImpl::byKernels(const torch::Tensor& x, std::vector<std::int64_t>& lengths) {
    const auto mix = [](const torch::Tensor& y, const Stage& s) { // the surrounding kernels take float32
        return torch::linear(y, s.pointwise->weight.flatten(1), s.pointwise->bias).to(torch::kFloat32);
    };
    const auto &first = m_stages[0].strided, &second = m_stages[1].strided;
    auto y = firstStages(x, first->weight, first->bias, second->weight, second->bias, lengths); // [B, T/4, F/4, C]
    shrink(lengths);
    shrink(lengths);
    y = maskedRelu(mix(y, m_stages[1]), lengths);
    for (std::size_t i = 2; i < m_stages.size(); ++i) {
        y = depthwiseStage(y, m_stages[i].strided->weight, m_stages[i].strided->bias);
        shrink(lengths);
        y = maskedRelu(mix(y, m_stages[i]), lengths);
    }
    // the linear layer's columns are in [C, F'] order: the weight is permuted, not the activation
    const std::int64_t channels = y.size(3), features = y.size(2);
    const auto weight = m_out->weight.view({-1, channels, features}).transpose(1, 2).flatten(1);
    return torch::linear(y.flatten(2), weight, m_out->bias);
}

std::pair<torch::Tensor, std::vector<std::int64_t>>
ConvSubsamplingImpl::forward(const torch::Tensor& input, const std::vector<std::int64_t>& inputLengths) {
    std::vector<std::int64_t> lengths = inputLengths;
    if (takesKernels(input)) {
        auto features = byKernels(input, lengths);
        return {features, lengths};
    }
    const auto padded = paddedFrames(lengths, input.size(1), input.device()).unsqueeze(-1);
    auto x = input.masked_fill(padded, 0).unsqueeze(1); // [B, 1, T, F]
    for (Stage& s : m_stages)
        x = stage(s, x, lengths);     // [B, C, T / 2, F / 2]
    x = x.transpose(1, 2).flatten(2); // [B, T', C * F']
    return {m_out(x), lengths};
}

} // namespace rankscope::trainer
