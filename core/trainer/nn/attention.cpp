// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/attention.h"

#include "core/trainer/autocast.h"
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"

#include <cmath>
#include <optional>

namespace rankscope::trainer {
namespace {

/// As in NeMo: half has too little range for attention.
void widenHalf(std::optional<AutocastScope>& scope, const torch::Tensor& x) {
    const auto device = x.device().type();
    if (at::autocast::is_autocast_enabled(device) && at::autocast::get_autocast_dtype(device) == torch::kFloat16)
        scope.emplace(device, torch::kBFloat16);
}

} // namespace

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
    std::optional<AutocastScope> wider;
    widenHalf(wider, x);
    const auto context = relativeAttention(linearQ(x), linearK(x), linearV(x), linearPos(positions), posBiasU, posBiasV,
                                           span, is_training() ? m_dropout : 0.0);
    return linearOut(context);
}

PlainAttentionImpl::PlainAttentionImpl(const RelPositionAttentionOptions& o) : m_heads(o.heads), m_dropout(o.dropout) {
    const auto square = [&] { return torch::nn::Linear(torch::nn::LinearOptions(o.width, o.width).bias(o.bias)); };
    linearQ = register_module("linear_q", square());
    linearK = register_module("linear_k", square());
    linearV = register_module("linear_v", square());
    linearOut = register_module("linear_out", square());
}

torch::Tensor PlainAttentionImpl::forward(const torch::Tensor& x, const AttentionSpan& span) {
    const std::int64_t batch = x.size(0), time = x.size(1), width = x.size(2) / m_heads;
    const auto heads = [&](const torch::Tensor& y) { return y.view({batch, time, m_heads, width}).transpose(1, 2); };
    std::optional<AutocastScope> wider;
    widenHalf(wider, x);
    const auto hidden = span.hiddenKeys(batch, time, x).unsqueeze(1);               // [B, 1, T, T]
    const auto q = heads(linearQ(x)), k = heads(linearK(x)), v = heads(linearV(x)); // [B, H, T, D / H]
    auto scores = torch::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(width));
    const auto weights = torch::softmax(scores.masked_fill(hidden, kHiddenScore), -1).masked_fill(hidden, 0.0);
    const auto kept = torchDropout(weights, is_training() ? m_dropout : 0.0);
    const auto context = torch::matmul(kept, v); // [B, H, T, D / H]
    return linearOut(context.transpose(1, 2).reshape({batch, time, x.size(2)}));
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

torch::Tensor PositionTable::absolute(std::int64_t frames, const torch::Tensor& like) {
    grow(frames);
    if (m_table.device() != like.device())
        m_table = m_table.to(like.device());
    return m_table.narrow(0, m_frames - frames, frames).flip(0); // distances frames-1 ... 0, reversed
}

} // namespace rankscope::trainer
