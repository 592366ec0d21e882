// SPDX-License-Identifier: Apache-2.0
// NeMo's MultiSpeakerNoiseAugmentation (arXiv 2408.13106, section 2.2): overlays each utterance with segments of its
// noise clip or of other utterances of the batch, at a drawn energy ratio.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/data/random.h"

#include <cstdint>

namespace rankscope::trainer {

using plan::Rng;

/// Rows of `stride` samples, zero beyond their length.
struct MixView {
    const float* audio = nullptr;         ///< [batch, stride] clean
    const std::int64_t* length = nullptr; ///< [batch] samples of the clean utterance, > 0
    float* noise = nullptr;               ///< [batch, stride] in: the clip drawn; out: what is added to the clean audio
    std::int64_t* noiseLength = nullptr;  ///< [batch] in: samples of the clip; out: `length` where it was mixed
    std::int64_t batch = 0, stride = 0;
};

/// Whether NeMo would take these values.
Result<void> checkAugmentor(const config::BatchAugmentorConfig& config);

/// Replaces rows of `view.noise`. A row that is not drawn (probability 1 - prob) keeps its whole clip at full scale:
/// NeMo adds it as it is. The energy ratio is of mean squares over the whole utterance, in dB.
void augment(const MixView& view, const config::BatchAugmentorConfig& config, Rng& rng);

} // namespace rankscope::trainer
