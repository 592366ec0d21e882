// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/noise_bank.h"

#include "core/trainer/data/audio/audio_file.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::trainer {
namespace {

using config::BatchAugmentorConfig;

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

double meanSquare(const float* samples, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += static_cast<double>(samples[i]) * samples[i];
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Copies `count` samples from `source`, starting over at its end; copies nothing if it is empty.
void copyRepeated(const float* source, std::int64_t length, std::int64_t from, float* to, std::int64_t count) {
    while (count > 0 && length > 0) {
        const std::int64_t piece = std::min(count, length - from);
        to = std::copy_n(source + from, piece, to);
        count -= piece;
        from = 0;
    }
}

/// Throws `total` samples into `parts` equal bins; returns the non-empty bins, in the order of their first sample.
std::vector<std::int64_t> splitLength(std::int64_t total, std::int64_t parts, Rng& rng) {
    if (parts == 1)
        return {total};
    std::vector<std::int64_t> bins(static_cast<std::size_t>(parts), 0), filled, lengths;
    for (std::int64_t i = 0; i < total; ++i) {
        const std::int64_t bin = rng.integer(0, parts - 1);
        if (bins[static_cast<std::size_t>(bin)]++ == 0)
            filled.push_back(bin);
    }
    for (const std::int64_t bin : filled)
        lengths.push_back(bins[static_cast<std::size_t>(bin)]);
    return lengths;
}

/// Draws `count` of the batch's other rows, none twice.
std::vector<std::int64_t> drawOthers(std::int64_t self, std::int64_t batch, std::int64_t count, Rng& rng) {
    std::vector<std::int64_t> others;
    for (std::int64_t i = 0; i < batch; ++i)
        if (i != self)
            others.push_back(i);
    count = std::min<std::int64_t>(count, static_cast<std::int64_t>(others.size()));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t j = rng.integer(i, static_cast<std::int64_t>(others.size()) - 1);
        std::swap(others[static_cast<std::size_t>(i)], others[static_cast<std::size_t>(j)]);
    }
    others.resize(static_cast<std::size_t>(count));
    return others;
}

/// Returns segments, one after another in one buffer: consecutive pieces of the row's own noise clip.
std::vector<float> noiseSegments(const MixView& view, std::int64_t row, std::int64_t total) {
    std::vector<float> out(static_cast<std::size_t>(total), 0.0f);
    copyRepeated(view.noise + row * view.stride, view.noiseLength[row], 0, out.data(), total);
    return out;
}

/// ... or random pieces of up to `speakers` other utterances, taken in turn, then at random.
std::vector<float> speechSegments(const MixView& view, std::int64_t row, const std::vector<std::int64_t>& lengths,
                                  std::int64_t speakers, Rng& rng) {
    const auto others = drawOthers(row, view.batch, speakers, rng);
    std::vector<float> out(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})));
    float* to = out.data();
    std::size_t turn = 0;
    for (const std::int64_t length : lengths) {
        const std::int64_t other = others[turn];
        const std::int64_t available = view.length[other];
        const std::int64_t from = available > length ? rng.integer(0, available - length - 1) : 0;
        copyRepeated(view.audio + other * view.stride, available, from, to, length);
        to += length;
        if (++turn >= others.size())
            turn = static_cast<std::size_t>(rng.integer(0, static_cast<std::int64_t>(others.size()) - 1));
    }
    return out;
}

/// Places the segments in the row, in order, without overlap, at random distances.
void placeSegments(const std::vector<float>& segments, const std::vector<std::int64_t>& lengths, std::int64_t rowLength,
                   float* row, Rng& rng) {
    std::int64_t lowest = 0, highest = rowLength - static_cast<std::int64_t>(segments.size());
    const float* from = segments.data();
    for (const std::int64_t length : lengths) {
        const std::int64_t start = lowest < highest ? rng.integer(lowest, highest - 1) : lowest;
        std::copy(from, from + length, row + start);
        from += length;
        lowest = start + length;
        highest += length;
    }
}

void mixRow(const MixView& view, std::int64_t row, const BatchAugmentorConfig& config, Rng& rng) {
    const std::int64_t length = view.length[row];
    const double rate =
        config.minMixRate < config.maxMixRate ? rng.uniform(config.minMixRate, config.maxMixRate) : config.minMixRate;
    const auto total =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(length) * rate), 1, length);
    const std::int64_t segmentCount = rng.integer(config.minNumSegments, config.maxNumSegments);
    const std::int64_t speakers =
        std::min<std::int64_t>(rng.integer(config.minNumSpeakers, config.maxNumSpeakers), view.batch);
    const auto lengths = splitLength(total, segmentCount, rng);
    const bool noise = rng.uniform() < config.noiseRatio || view.batch == 1;
    const double ratio =
        noise ? rng.uniform(config.minRNoise, config.maxRNoise) : rng.uniform(config.minRSpeech, config.maxRSpeech);
    const auto segments = noise ? noiseSegments(view, row, total) : speechSegments(view, row, lengths, speakers, rng);

    float* out = view.noise + row * view.stride;
    std::fill(out, out + view.stride, 0.0f);
    placeSegments(segments, lengths, length, out, rng);
    const double audioEnergy = meanSquare(view.audio + row * view.stride, length);
    const double noiseEnergy = meanSquare(out, length);
    const double scale = noiseEnergy > 0 ? std::sqrt(audioEnergy / (std::pow(10.0, ratio / 10) * noiseEnergy)) : 0;
    for (std::int64_t i = 0; i < length; ++i)
        out[i] = static_cast<float>(out[i] * scale);
    view.noiseLength[row] = length;
}

Result<void> range(const char* what, double low, double high, double least, double most) {
    if (low <= high && low >= least && high <= most) // false for NaN
        return {};
    return fail(
        Errc::BadInput,
        {"{} must be in ascending order, within {:g} ... {:g}, got {:g} ... {:g}", what, least, most, low, high},
        "batch_augmentor");
}

} // namespace

Result<std::vector<float>> NoiseBank::load(const Utterance& clip, std::int64_t count, Rng& rng) const {
    const double seconds = static_cast<double>(count) / m_sampleRate;
    AudioRequest request;
    request.sampleRate = m_sampleRate;
    request.offset = clip.offset;
    // no more than is used, but rounded up so that resampling cannot leave it a sample short
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

Result<void> checkAugmentor(const BatchAugmentorConfig& c) {
    constexpr double any = 1000; // dB
    for (const auto& checked :
         {range("prob", c.prob, c.prob, 0, 1), range("noise_ratio", c.noiseRatio, c.noiseRatio, 0, 1),
          range("min_r_speech, max_r_speech", c.minRSpeech, c.maxRSpeech, -any, any),
          range("min_r_noise, max_r_noise", c.minRNoise, c.maxRNoise, -any, any),
          range("min_mix_rate, max_mix_rate", c.minMixRate, c.maxMixRate, 0, 1),
          range("min_num_segments, max_num_segments", c.minNumSegments, c.maxNumSegments, 1, 10'000),
          range("min_num_speakers, max_num_speakers", c.minNumSpeakers, c.maxNumSpeakers, 1, 10'000)})
        if (!checked)
            return checked;
    return {};
}

void augment(const MixView& view, const BatchAugmentorConfig& config, Rng& rng) {
    for (std::int64_t row = 0; row < view.batch; ++row)
        if (rng.uniform() < config.prob)
            mixRow(view, row, config, rng);
}

} // namespace rankscope::trainer
