// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/noise_bank.h"

#include "core/trainer/data/audio/audio_file.h"

#include <algorithm>
#include <cmath>

namespace rankscope::trainer {

namespace {

constexpr int kClipTrials = 20;   // other clips when one cannot be read
constexpr int kPieceTrials = 100; // other pieces of a clip when one is silent
constexpr int kWhiteNoiseMinDb = -90, kWhiteNoiseMaxDb = -46;

bool silent(const std::vector<float>& samples) {
    return std::all_of(samples.begin(), samples.end(), [](float x) { return x == 0; });
}

void addWhiteNoise(std::vector<float>& samples, Rng& rng) {
    const double level = std::pow(10.0, static_cast<double>(rng.integer(kWhiteNoiseMinDb, kWhiteNoiseMaxDb - 1)) / 20);
    for (float& x : samples)
        x += static_cast<float>(rng.normal() * level);
}

} // namespace

Result<std::vector<float>> NoiseBank::load(const Utterance& clip, std::int64_t count, Rng& rng) const {
    const double seconds = static_cast<double>(count) / m_sampleRate;
    AudioRequest request;
    request.sampleRate = m_sampleRate;
    request.offset = clip.offset;
    // never more than is used: rounded up so that resampling cannot leave a sample short
    request.duration = clip.duration > 0 ? std::min(clip.duration, seconds + 0.01) : seconds + 0.01;
    const bool longer = clip.duration > seconds;
    Result<std::vector<float>> samples = fail(Errc::Internal, "not read", clip.path);
    for (int trial = 0; trial < (longer ? kPieceTrials : 1); ++trial) {
        if (longer)
            request.offset = clip.offset + rng.uniform(0, clip.duration - seconds);
        samples = readAudio(clip.path, request);
        if (!samples || !silent(*samples))
            return samples;
    }
    addWhiteNoise(*samples, rng);
    return samples;
}

std::int64_t NoiseBank::draw(std::int64_t count, Rng& rng, float* out,
                             const std::function<void(const Error&)>& broken) const {
    std::fill(out, out + count, 0.0f);
    for (int trial = 0; trial < kClipTrials && !m_clips.empty(); ++trial) {
        const auto which = rng.integer(0, static_cast<std::int64_t>(m_clips.size()) - 1);
        const auto samples = load(m_clips[static_cast<std::size_t>(which)], count, rng);
        if (!samples) {
            broken(samples.error());
            continue;
        }
        const std::int64_t length = std::min<std::int64_t>(count, static_cast<std::int64_t>(samples->size()));
        std::copy(samples->begin(), samples->begin() + length, out);
        return length;
    }
    return count;
}

} // namespace rankscope::trainer
