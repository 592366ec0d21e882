// SPDX-License-Identifier: Apache-2.0
// NEST: denoising masked-token prediction on noisy speech (arXiv 2408.13106), NeMo EncDecDenoiseMaskedTokenPredModel.
// Parameters and buffers carry NeMo's state-dict names; random numbers are drawn in NeMo's order.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/features/mel_features.h"
#include "core/trainer/named_tensors.h"
#include "core/trainer/nn/collective_hooks.h"
#include "core/trainer/nn/conformer_encoder.h"
#include "core/trainer/ssl/block_masking.h"
#include "core/trainer/ssl/quantizer.h"
#include "core/trainer/ssl/softmax_decoder.h"

#include <memory>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct NestInput {
    torch::Tensor audio;    ///< [B, T] float32, clean, zero-padded
    torch::Tensor audioLen; ///< [B] int64, samples
    torch::Tensor noisy;    ///< [B, T] float32
    torch::Tensor noisyLen; ///< [B] int64, samples
};

struct NestOutput {
    torch::Tensor logProbs;   ///< [B, T', classes, books] float32 ([B, T', classes] with squeeze_single and one book);
                              ///< with setDecodeMaskedOnly, of the counted frames only: [N, classes, books]
    torch::Tensor encodedLen; ///< [B] int64, encoder frames
    torch::Tensor masks;      ///< [B, D, T] float32 (pre_conv: mel frames; post_conv: encoder frames), 1 where masked
    torch::Tensor tokens;     ///< [B, T', books] int64 ([B, T'] with squeeze_single and one book)
    torch::Tensor counted;    ///< [B, T'] bool: frames masked enough to count in the loss
};

class NestModelImpl : public torch::nn::Module {
public:
    /// Throws std::invalid_argument that names the key if a value is not supported.
    explicit NestModelImpl(const config::ModelConfig& config);

    /// Runs the model. Calls hooks.phase(Preprocess), (Augment), (Forward); the caller announces Loss before it calls
    /// loss().
    NestOutput forward(const NestInput& input, bool applyMask, ForwardHooks& hooks);
    /// Returns the masked-token loss, scalar float32; NaN if no frame is masked enough, as in NeMo. `maskedFrames` (may
    /// be null) receives the number of encoder frames that counted.
    torch::Tensor loss(const NestOutput& output, std::int64_t* maskedFrames = nullptr);
    /// Returns mel features [B, features, frames] and lengths [B] int64 of a waveform.
    std::pair<torch::Tensor, torch::Tensor> preprocess(const torch::Tensor& audio, const torch::Tensor& audioLen);
    /// Makes every batch norm of the encoder exchange its statistics; null: local statistics.
    void setStatsExchange(const std::shared_ptr<StatsExchange>& exchange);
    /// If true, forward with a mask decodes only the frames that count in the loss. Loss and gradients stay the same;
    /// the other frames' log-probabilities are not computed.
    void setDecodeMaskedOnly(bool on) { m_decodeMaskedOnly = on; }
    /// Returns the trainable parameters in NeMo's order, with their names; one with several names appears once.
    NamedTensors trainable() const;
    /// Returns everything in NeMo's state_dict, in its order.
    StateDict stateDict() const;
    /// Copies by name; strict: a missing, unexpected or misshapen tensor throws std::invalid_argument that names it.
    void loadStateDict(const StateDict& state);

    const config::ModelConfig& config() const { return m_config; }

private:
    torch::Tensor targets(const torch::Tensor& mel, const std::vector<std::int64_t>& lengths);
    torch::Tensor decode(const torch::Tensor& encoded, const NestOutput& output, bool countedOnly);

    config::ModelConfig m_config; ///< as NeMo builds it: see asBuilt()
    bool m_decodeMaskedOnly = false;
    MelPreprocessor m_preprocessor{nullptr};
    std::shared_ptr<FrameReducer> m_subsampling;
    ConformerEncoder m_encoder{nullptr};
    Quantizer m_quantizer{nullptr};
    BlockMasking m_masking{nullptr};
    SoftmaxDecoder m_decoder{nullptr};
};
TORCH_MODULE(NestModel);

/// Throws std::invalid_argument that names key and value if the model cannot be built as NeMo would build it.
void checkSupported(const config::ModelConfig& config);

/// Returns a sentence for the log for each value that NeMo accepts but that has no effect in this model.
std::vector<std::string> withoutEffect(const config::ModelConfig& config);

} // namespace rankscope::trainer
