// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"
#include "core/trainer/nn/collective_hooks.h"
#include "core/trainer/nn/conformer_layer.h"
#include "core/trainer/nn/pre_encode.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// NeMo ConformerEncoder (offline): mel [B, F, T] -> [B, T', D].
class ConformerEncoderImpl : public torch::nn::Module {
public:
    /// Changes the sub-sampled features [B, T', D] before the layers (NeMo's post_conv masking); may be empty.
    using AfterSubsampling =
        std::function<torch::Tensor(const torch::Tensor& features, const std::vector<std::int64_t>& lengths)>;

    /// `preEncode` is registered as pre_encode; it holds the weights of `subsampling`.
    ConformerEncoderImpl(const config::EncoderConfig& config, std::shared_ptr<FrameReducer> subsampling,
                         const std::shared_ptr<torch::nn::Module>& preEncode);

    std::pair<torch::Tensor, std::vector<std::int64_t>> forward(const torch::Tensor& mel,
                                                                const std::vector<std::int64_t>& lengths,
                                                                ForwardHooks& hooks,
                                                                const AfterSubsampling& afterSubsampling);
    void setStatsExchange(const std::shared_ptr<StatsExchange>& exchange);

private:
    struct EncodedFrames {
        torch::Tensor x;         ///< [B, T', D]
        torch::Tensor positions; ///< [2T' - 1, D]; undefined with abs_pos
        AttentionSpan span;
    };

    void makeLayers();
    void makeRoom(std::int64_t frames, ForwardHooks& hooks);
    /// Scales, adds or computes positions, and applies dropout: NeMo's pos_enc.
    void position(EncodedFrames& frames);
    void reduce(EncodedFrames& frames, bool nextLayer);
    torch::Tensor layerOutput(std::size_t index, const EncodedFrames& frames);

    config::EncoderConfig m_config;
    std::shared_ptr<FrameReducer> m_subsampling, m_reduction; ///< m_reduction may be null
    PositionTable m_positions;
    std::vector<ConformerLayer> m_layers;
    std::vector<double> m_dropProbabilities; ///< stochastic depth
    torch::nn::Linear m_outProj{nullptr};
};
TORCH_MODULE(ConformerEncoder);

} // namespace rankscope::trainer
