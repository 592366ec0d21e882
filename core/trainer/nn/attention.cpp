// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/attention.h"

#include "core/trainer/features/autocast.h"

#include <cmath>
#include <optional>

namespace rankscope::trainer {

RelPositionAttentionImpl::RelPositionAttentionImpl(const RelPositionAttentionOptions& o) : m_dropout(o.dropout) {
    const auto bias = [&](const torch::Tensor& shared) {
        return shared.defined() ? shared : torch::zeros({o.heads, o.width / o.heads});
    };
    posBiasU = register_parameter("pos_bias_u", bias(o.sharedBiasU));
    posBiasV = register_parameter("pos_bias_v", bias(o.sharedBiasV));
    const auto square = [&](bool withBias) {
        return torch::nn::Linear(torch::nn::LinearOptions(o.width, o.width).bias(withBias));
    };
    linearQ = register_module("linear_q", square(o.bias));
    linearK = register_module("linear_k", square(o.bias));
    linearV = register_module("linear_v", square(o.bias));
    linearOut = register_module("linear_out", square(o.bias));
    linearPos = register_module("linear_pos", square(false));
}

torch::Tensor RelPositionAttentionImpl::forward(const torch::Tensor& x, const torch::Tensor& positions,
                                                const AttentionSpan& span) {
    // NeMo: half has too little range for attention
    const auto device = x.device().type();
    std::optional<AutocastScope> wider;
    if (at::autocast::is_autocast_enabled(device) && at::autocast::get_autocast_dtype(device) == torch::kFloat16)
        wider.emplace(device, torch::kBFloat16);
    const auto context = relativeAttention(linearQ(x), linearK(x), linearV(x), linearPos(positions), posBiasU, posBiasV,
                                           span, is_training() ? m_dropout : 0.0);
    return linearOut(context);
}

void PositionTable::grow(std::int64_t frames) {
    if (covers(frames))
        return;
    torch::NoGradGuard noGrad;
    const auto distances = torch::arange(frames - 1, -frames, -1, torch::kFloat32).unsqueeze(1);
    const auto rates =
        torch::exp(torch::arange(0, m_width, 2, torch::kFloat32) * -(std::log(10000.0) / m_width)).unsqueeze(0);
    const auto angles = distances * rates; // [2 * frames - 1, D / 2]
    m_table = torch::stack({torch::sin(angles), torch::cos(angles)}, -1).flatten(1);
    m_frames = frames;
}

torch::Tensor PositionTable::slice(std::int64_t frames, const torch::Tensor& like) {
    grow(frames);
    if (m_table.device() != like.device())
        m_table = m_table.to(like.device());
    return m_table.narrow(0, m_frames - frames, 2 * frames - 1);
}

} // namespace rankscope::trainer
