// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/subsampling.h"

#include "core/trainer/nn/depthwise_conv.h"

namespace rankscope::trainer {
namespace {

constexpr std::int64_t kKernel = 3, kStride = 2;

int stagesOf(int factor) {
    int stages = 0;
    for (; factor > 1; factor /= 2)
        ++stages;
    return stages;
}

/// Only holds the convolutions under NeMo's names: an nn.Sequential in which activations take numbers too.
struct NamesImpl : torch::nn::Module {};

} // namespace

ConvSubsamplingImpl::ConvSubsamplingImpl(const config::EncoderConfig& c)
    : m_causal(c.causalDownsampling), m_left(m_causal ? kKernel - 1 : 1), m_right(m_causal ? kStride - 1 : 1) {
    const bool depthwise = c.subsampling == "dw_striding";
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
        s.strided = strided(i == 0 ? 1 : channels, depthwise && i > 0 ? channels : 1);
        if (depthwise && i > 0)
            s.pointwise = torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, channels, 1));
        m_stages.push_back(s);
        features = outputLength(features);
    }
    m_out = register_module("out", torch::nn::Linear(channels * features, c.dModel));
    const auto conv = register_module("conv", std::make_shared<NamesImpl>());
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

torch::Tensor ConvSubsamplingImpl::stage(Stage& s, torch::Tensor x, std::vector<std::int64_t>& lengths) {
    if (m_causal)
        x = torch::constant_pad_nd(x, {m_left, m_right, m_left, m_right}, 0);
    x = s.strided(x);
    if (s.pointwise)
        x = s.pointwise(x);
    for (std::int64_t& n : lengths)
        n = outputLength(n);
    // NeMo multiplies by the mask before and after every layer; once before the activation has the same effect
    const auto padded = paddedFrames(lengths, x.size(2), x.device()).view({x.size(0), 1, x.size(2), 1});
    return x.masked_fill_(padded, 0).relu_();
}

std::pair<torch::Tensor, std::vector<std::int64_t>>
ConvSubsamplingImpl::forward(const torch::Tensor& input, const std::vector<std::int64_t>& inputLengths) {
    std::vector<std::int64_t> lengths = inputLengths;
    const auto padded = paddedFrames(lengths, input.size(1), input.device()).unsqueeze(-1);
    auto x = input.masked_fill(padded, 0).unsqueeze(1); // [B, 1, T, F]
    for (Stage& s : m_stages)
        x = stage(s, x, lengths); // [B, C, T / 2, F / 2]
    x = x.transpose(1, 2).flatten(2); // [B, T', C * F']
    return {m_out(x), lengths};
}

} // namespace rankscope::trainer
