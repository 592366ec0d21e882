// SPDX-License-Identifier: Apache-2.0
// Noise clips drawn from noise manifests, as NeMo's sample_noise and load_noise_audio.
#pragma once

#include "core/base/values/error.h"
#include "core/plan/data/random.h"
#include "core/trainer/data/sets/utterance.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace rankscope::trainer {

using plan::Rng;

class NoiseBank {
public:
    /// No clips: silence is drawn.
    NoiseBank(std::vector<Utterance> clips, int sampleRate) : m_clips(std::move(clips)), m_sampleRate(sampleRate) {}

    /// Writes a clip to out[0 ... count), zeros after its end, and gives its length: a random piece of a clip that is
    /// longer, the whole of one that is shorter. A clip that cannot be read is told to `broken` and another one drawn,
    /// 20 times at most; then, as without clips, `count` zeros. A silent piece is drawn again, and gets faint white
    /// noise when the clip has nothing else.
    std::int64_t draw(std::int64_t count, Rng& rng, float* out, const std::function<void(const Error&)>& broken) const;

private:
    Result<std::vector<float>> load(const Utterance& clip, std::int64_t count, Rng& rng) const;

    std::vector<Utterance> m_clips;
    int m_sampleRate;
};

} // namespace rankscope::trainer
