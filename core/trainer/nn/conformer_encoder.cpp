// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/conformer_encoder.h"

#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"

#include <fmt/format.h>

#include <cmath>

namespace rankscope::trainer {
namespace {

using telemetry::ForwardSite;

/// Returns each layer's drop probability: 0 before the start layer; after it, it rises linearly or is the same for all.
std::vector<double> dropProbabilities(const config::EncoderConfig& c) {
    std::vector<double> p(static_cast<std::size_t>(c.nLayers), 0.0);
    const auto start = static_cast<std::size_t>(c.stochasticDepthStartLayer);
    const int droppable = c.nLayers - c.stochasticDepthStartLayer;
    for (int i = 0; i < droppable; ++i) {
        const double share = c.stochasticDepthMode == "uniform" ? 1.0 : static_cast<double>(i + 1) / droppable;
        p[start + static_cast<std::size_t>(i)] = share * c.stochasticDepthDropProb;
    }
    return p;
}

AttentionSpan spanOf(const config::EncoderConfig& c, std::vector<std::int64_t> lengths) {
    AttentionSpan span;
    span.lengths = std::move(lengths);
    span.context = {c.attContextSize[0], c.attContextSize[1]};
    if (c.selfAttentionModel == "rel_pos_local_attn") {
        span.window = c.attContextSize[0]; // for any style, as in NeMo
        return span;
    }
    if (c.attContextStyle == "chunked_limited" && c.attContextSize[1] >= 0)
        span.chunk = c.attContextSize[1] + 1;
    return span;
}

/// Returns positions [2w + 1, D] within a window as the middle of [2 * frames - 1, D]; no frame uses the others.
torch::Tensor asMiddle(const torch::Tensor& positions, std::int64_t frames) {
    const std::int64_t beside = frames - 1 - positions.size(0) / 2;
    return beside >= 0 ? torch::constant_pad_nd(positions, {0, 0, beside, beside})
                       : positions.narrow(0, -beside, 2 * frames - 1);
}

} // namespace

ConformerEncoderImpl::ConformerEncoderImpl(const config::EncoderConfig& c, std::shared_ptr<FrameReducer> subsampling,
                                           const std::shared_ptr<torch::nn::Module>& preEncode)
    : m_config(c), m_subsampling(std::move(subsampling)), m_reduction(makeReduction(c)), m_positions(c.dModel),
      m_dropProbabilities(dropProbabilities(c)) {
    register_module("pre_encode", preEncode);
    if (m_reduction)
        register_module("reduction_subsampling", std::make_shared<torch::nn::Module>())
            ->register_module("reduction_enc", m_reduction->module());
    makeLayers();
    if (c.featOut > 0 && c.featOut != c.dModel)
        m_outProj = register_module("out_proj", torch::nn::Linear(c.dModel, c.featOut));
    m_positions.grow(c.posEmbMaxLen);
}

void ConformerEncoderImpl::makeLayers() {
    const bool tied = !m_config.untieBiases && m_config.selfAttentionModel == "rel_pos";
    torch::Tensor biasU, biasV;
    if (tied) {
        biasU = torch::zeros({m_config.nHeads, m_config.dModel / m_config.nHeads});
        biasV = torch::zeros_like(biasU);
    }
    const auto list = register_module("layers", std::make_shared<torch::nn::Module>());
    for (int i = 0; i < m_config.nLayers; ++i) {
        m_layers.emplace_back(ConformerLayer(m_config, biasU, biasV));
        list->register_module(std::to_string(i), m_layers.back());
        if (tied) { // registering sets requires_grad on the tensor itself; later layers take the same one
            biasU = m_layers.front()->selfAttn->posBiasU;
            biasV = m_layers.front()->selfAttn->posBiasV;
        }
    }
}

void ConformerEncoderImpl::setStatsExchange(const std::shared_ptr<StatsExchange>& exchange) {
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        if (m_layers[i]->conv->batchNorm)
            m_layers[i]->conv->batchNorm->setStatsExchange(exchange, fmt::format("layers.{}", i));
}

void ConformerEncoderImpl::makeRoom(std::int64_t frames, ForwardHooks& hooks) {
    // NeMo compares mel frames, before sub-sampling, with the table's length; only the table depends on the result
    std::int64_t needed = frames;
    if (m_config.syncMaxAudioLength) {
        hooks.place(ForwardSite::LengthSync);
        needed = hooks.syncMaxAudioLength(frames);
    }
    if (!m_positions.covers(needed)) {
        hooks.place(ForwardSite::PositionTable);
        m_positions.grow(needed);
    }
}

torch::Tensor ConformerEncoderImpl::layerOutput(std::size_t index, const EncodedFrames& frames) {
    const torch::Tensor& x = frames.x;
    auto y = m_layers[index](x, frames.positions, frames.span);
    const double drop = m_dropProbabilities[index];
    if (!is_training() || drop <= 0)
        return y;
    if (torch::rand(1).item<float>() < static_cast<float>(drop))
        return y * 0.0 + x; // a dropped layer still gives its weights a gradient, as a reducer expects
    return (y - x) / (1.0 - drop) + x;
}

void ConformerEncoderImpl::position(EncodedFrames& f) {
    if (m_config.xscaling)
        f.x = f.x * std::sqrt(static_cast<double>(m_config.dModel));
    if (m_config.selfAttentionModel == "abs_pos") { // NeMo applies no separate dropout to these positions
        f.x = f.x + m_positions.absolute(f.x.size(1), f.x);
    } else { // NeMo draws the table's dropout before the input's
        const std::int64_t window = f.span.window;
        f.positions = m_positions.slice(window > 0 ? window + 1 : f.x.size(1), f.x);
        f.positions = dropped(f.positions, is_training() ? m_config.dropoutEmb : 0.0);
        if (window > 0)
            f.positions = asMiddle(f.positions, f.x.size(1));
    }
    const double dropout = f.span.window > 0 ? m_config.dropout : m_config.dropoutPreEncoder; // as in NeMo
    f.x = dropped(f.x, is_training() ? dropout : 0.0);
}

void ConformerEncoderImpl::reduce(EncodedFrames& f, bool nextLayer) {
    auto [x, lengths] = m_reduction->forward(f.x, f.span.lengths);
    f.x = x;
    f.span = spanOf(m_config, lengths);
    if (!nextLayer)
        return;
    position(f); // for the positions and the random numbers it draws; the frames themselves stay unchanged
    f.x = x;
}

std::pair<torch::Tensor, std::vector<std::int64_t>>
ConformerEncoderImpl::forward(const torch::Tensor& mel, const std::vector<std::int64_t>& inputLengths,
                              ForwardHooks& hooks, const AfterSubsampling& afterSubsampling) {
    hooks.inputShape(mel.size(0), mel.size(1), mel.size(2));
    hooks.beforeEncoder(mel, inputLengths);
    makeRoom(mel.size(2), hooks);
    hooks.place(ForwardSite::Subsampling);
    auto [x, lengths] = m_subsampling->forward(mel.transpose(1, 2), inputLengths); // [B, T', D]
    announceBackward(x, hooks, ForwardSite::Subsampling);
    if (afterSubsampling)
        x = afterSubsampling(x, lengths);
    EncodedFrames frames{x, {}, spanOf(m_config, lengths)};
    position(frames);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        hooks.place(ForwardSite::Layer, static_cast<int>(i));
        frames.x = layerOutput(i, frames);
        announceBackward(frames.x, hooks, ForwardSite::Layer, static_cast<int>(i));
        if (m_reduction && m_config.reductionPosition == static_cast<int>(i))
            reduce(frames, true);
    }
    if (m_outProj)
        frames.x = m_outProj(frames.x);
    if (m_reduction && m_config.reductionPosition == -1)
        reduce(frames, false);
    return {frames.x, frames.span.lengths};
}

} // namespace rankscope::trainer
