// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/conformer_encoder.h"

#include "core/trainer/nn/dropout_kernels.h"

#include <fmt/format.h>

#include <cmath>

namespace rankscope::trainer {
namespace {

using telemetry::Place;

struct LayerListImpl : torch::nn::Module {};

/// Layers before the start layer are never dropped; after it the probability rises linearly, or is the same for all.
std::vector<double> dropProbabilities(const config::EncoderConfig& c) {
    std::vector<double> p(static_cast<std::size_t>(c.nLayers), 0.0);
    const int droppable = c.nLayers - c.stochasticDepthStartLayer;
    for (int i = 0; i < droppable; ++i) {
        const double share = c.stochasticDepthMode == "uniform" ? 1.0 : static_cast<double>(i + 1) / droppable;
        p[static_cast<std::size_t>(c.stochasticDepthStartLayer + i)] = share * c.stochasticDepthDropProb;
    }
    return p;
}

AttentionSpan spanOf(const config::EncoderConfig& c, std::vector<std::int64_t> lengths) {
    AttentionSpan span{std::move(lengths), {c.attContextSize[0], c.attContextSize[1]}, 0};
    if (c.attContextStyle == "chunked_limited" && c.attContextSize[1] >= 0)
        span.chunk = c.attContextSize[1] + 1;
    return span;
}

} // namespace

ConformerEncoderImpl::ConformerEncoderImpl(const config::EncoderConfig& c, ConvSubsampling subsampling,
                                           const std::shared_ptr<torch::nn::Module>& preEncode)
    : m_config(c), m_outputWidth(c.dModel), m_subsampling(std::move(subsampling)), m_positions(c.dModel),
      m_dropProbabilities(dropProbabilities(c)) {
    register_module("pre_encode", preEncode);
    torch::Tensor biasU, biasV;
    if (!c.untieBiases) {
        biasU = torch::zeros({c.nHeads, c.dModel / c.nHeads});
        biasV = torch::zeros_like(biasU);
    }
    const auto list = register_module("layers", std::make_shared<LayerListImpl>());
    for (int i = 0; i < c.nLayers; ++i) {
        m_layers.emplace_back(ConformerLayer(c, biasU, biasV));
        list->register_module(std::to_string(i), m_layers.back());
        if (!c.untieBiases) { // registering sets requires_grad on the tensor itself; later layers take the same one
            biasU = m_layers.front()->selfAttn->posBiasU;
            biasV = m_layers.front()->selfAttn->posBiasV;
        }
    }
    if (c.featOut > 0 && c.featOut != c.dModel) {
        m_outProj = register_module("out_proj", torch::nn::Linear(c.dModel, c.featOut));
        m_outputWidth = c.featOut;
    }
    m_positions.grow(c.posEmbMaxLen);
}

void ConformerEncoderImpl::setStatsExchange(const std::shared_ptr<StatsExchange>& exchange) {
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        if (m_layers[i]->conv->batchNorm)
            m_layers[i]->conv->batchNorm->setStatsExchange(exchange, fmt::format("layers.{}", i));
}

void ConformerEncoderImpl::makeRoom(std::int64_t frames, ForwardHooks& hooks) {
    // NeMo compares mel frames, before sub-sampling, with the table's length; only the table depends on the outcome
    std::int64_t needed = frames;
    if (m_config.syncMaxAudioLength) {
        hooks.place(Place::LengthSync);
        needed = hooks.syncMaxAudioLength(frames);
    }
    if (!m_positions.covers(needed)) {
        hooks.place(Place::PositionTable);
        m_positions.grow(needed);
    }
}

torch::Tensor ConformerEncoderImpl::layerOutput(std::size_t index, const torch::Tensor& x,
                                                const torch::Tensor& positions, const AttentionSpan& span) {
    const auto y = m_layers[index](x, positions, span);
    const double drop = m_dropProbabilities[index];
    if (!is_training() || drop <= 0)
        return y;
    if (torch::rand(1).item<float>() < static_cast<float>(drop))
        return y * 0.0 + x; // a dropped layer still gives its weights a gradient, as a reducer expects
    return (y - x) / (1.0 - drop) + x;
}

std::pair<torch::Tensor, std::vector<std::int64_t>>
ConformerEncoderImpl::forward(const torch::Tensor& mel, const std::vector<std::int64_t>& inputLengths,
                              ForwardHooks& hooks, const AfterSubsampling& afterSubsampling) {
    hooks.inputShape(mel.size(0), mel.size(1), mel.size(2));
    makeRoom(mel.size(2), hooks);
    hooks.place(Place::Subsampling);
    auto [x, lengths] = m_subsampling(mel.transpose(1, 2), inputLengths); // [B, T', D]
    if (afterSubsampling)
        x = afterSubsampling(x, lengths);
    if (m_config.xscaling)
        x = x * std::sqrt(static_cast<double>(m_config.dModel));
    auto positions = m_positions.slice(x.size(1), x); // [2T' - 1, D]
    // NeMo draws the table's dropout before the input's
    positions = dropped(positions, is_training() ? m_config.dropoutEmb : 0.0);
    x = dropped(x, is_training() ? m_config.dropoutPreEncoder : 0.0);
    const AttentionSpan span = spanOf(m_config, lengths);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        hooks.place(Place::Layer, static_cast<int>(i));
        x = layerOutput(i, x, positions, span);
    }
    if (m_outProj)
        x = m_outProj(x);
    return {x, lengths};
}

} // namespace rankscope::trainer
