// SPDX-License-Identifier: Apache-2.0
// Log-mel front end: NeMo's AudioToMelSpectrogramPreprocessor with its FilterbankFeatures.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

#include <utility>

namespace rankscope::trainer {

/// [B, T] samples -> [B, features, frames]; buffers `window` [win] and `fb` [1, features, nFft / 2 + 1]. Without
/// gradient.
class FilterbankFeaturesImpl : public torch::nn::Module {
public:
    explicit FilterbankFeaturesImpl(const config::PreprocessorConfig& config);

    /// Features [B, features, frames] float32, padded to a multiple of pad_to, and lengths [B] int64 in frames.
    /// Draws dither from the default generator in training mode only.
    std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& audio, const torch::Tensor& audioLen);

private:
    torch::Tensor emphasised(const torch::Tensor& audio, const torch::Tensor& audioLen) const;
    torch::Tensor melPower(const torch::Tensor& spectrum) const;
    torch::Tensor logged(torch::Tensor mel) const;

    config::PreprocessorConfig m_config;
    int m_window = 0, m_hop = 0, m_nFft = 0;
    torch::Tensor m_windowBuffer, m_fb;
};
TORCH_MODULE(FilterbankFeatures);

/// Only gives the buffers their NeMo names: preprocessor.featurizer.{window,fb}.
class MelPreprocessorImpl : public torch::nn::Module {
public:
    explicit MelPreprocessorImpl(const config::PreprocessorConfig& config)
        : featurizer(register_module("featurizer", FilterbankFeatures(config))) {}
    std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& audio, const torch::Tensor& audioLen) {
        return featurizer->forward(audio, audioLen);
    }

    FilterbankFeatures featurizer;
};
TORCH_MODULE(MelPreprocessor);

struct MelFilterbankOptions {
    int sampleRate = 16000, nFft = 512, mels = 80;
    double lowfreq = 0, highfreq = 8000; ///< Hz
    bool slaneyNorm = true;              ///< each triangle has unit area
};

/// [1, mels, nFft / 2 + 1] float32: triangles on Slaney's mel scale (linear below 1 kHz, logarithmic above), as
/// librosa.filters.mel computes them with htk=False.
torch::Tensor melFilterbank(const MelFilterbankOptions& options);

} // namespace rankscope::trainer
