// SPDX-License-Identifier: Apache-2.0
// Draws noise clips from noise manifests, as NeMo's sample_noise and load_noise_audio do, and mixes them in: NeMo's
// MultiSpeakerNoiseAugmentation (arXiv 2408.13106, section 2.2) overlays each utterance with segments of its noise clip
// or of other utterances of the batch, at a drawn energy ratio.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/data/random.h"
#include "core/trainer/data/sets/utterance.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace rankscope::trainer {

using plan::Rng;

class NoiseBank {
public:
    /// Without clips, draw() returns silence.
    NoiseBank(std::vector<Utterance> clips, int sampleRate) : m_clips(std::move(clips)), m_sampleRate(sampleRate) {}

    /// Writes a clip to out[0 ... count), zeros after its end, and returns its length: a random piece of a longer clip,
    /// or the whole of a shorter one. A clip that cannot be read is reported to `broken` and another one is drawn, up
    /// to 20 times; after that the result is `count` zeros, as without clips. A silent piece is drawn again, and is
    /// replaced by faint white noise if the clip has nothing else.
    std::int64_t draw(std::int64_t count, Rng& rng, float* out, const std::function<void(const Error&)>& broken) const;

private:
    Result<std::vector<float>> load(const Utterance& clip, std::int64_t count, Rng& rng) const;

    std::vector<Utterance> m_clips;
    int m_sampleRate;
};

/// Rows of `stride` samples, zero beyond their length.
struct MixView {
    const float* audio = nullptr;         ///< [batch, stride] clean
    const std::int64_t* length = nullptr; ///< [batch] samples of the clean utterance, > 0
    float* noise = nullptr;               ///< [batch, stride] in: the clip drawn; out: the noise that is added
    std::int64_t* noiseLength = nullptr;  ///< [batch] in: samples of the clip; out: `length` where it was mixed
    std::int64_t batch = 0, stride = 0;
};

/// Returns an error if NeMo would reject these values.
Result<void> checkAugmentor(const config::BatchAugmentorConfig& config);

/// Replaces rows of `view.noise`. A row that is not drawn (probability 1 - prob) keeps its whole clip at full scale:
/// NeMo adds it unscaled. The energy ratio, in dB, compares mean squares over the whole utterance.
void augment(const MixView& view, const config::BatchAugmentorConfig& config, Rng& rng);

} // namespace rankscope::trainer
