// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/batches/batch_maker.h"

#include "core/base/values/result.h"
#include "core/trainer/data/audio/audio_file.h"
#include "core/trainer/data/audio/noise_bank.h"
#include "core/trainer/formats/archives/tar_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rankscope::trainer {

namespace {

/// Repeats the audio until it has `least` samples.
void repeatTo(std::vector<float>& audio, std::size_t least) {
    const std::size_t length = audio.size();
    if (length == 0 || length >= least)
        return;
    audio.resize(least);
    for (std::size_t i = length; i < least; ++i)
        audio[i] = audio[i - length];
}

/// [B, T] float32, zero after each row's samples. Plain copies: Torch's own would start a thread pool per worker.
torch::Tensor padded(const std::vector<std::vector<float>>& rows, std::size_t stride, bool pinned) {
    torch::Tensor out = torch::empty({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(stride)},
                                     torch::TensorOptions(torch::kFloat32).pinned_memory(pinned));
    float* to = out.mutable_data_ptr<float>();
    for (const auto& row : rows) {
        std::copy(row.begin(), row.end(), to);
        std::fill(to + row.size(), to + stride, 0.0f);
        to += stride;
    }
    return out;
}

torch::Tensor lengths(const std::vector<std::int64_t>& values, bool pinned) {
    torch::Tensor out = torch::empty({static_cast<std::int64_t>(values.size())},
                                     torch::TensorOptions(torch::kInt64).pinned_memory(pinned));
    std::copy(values.begin(), values.end(), out.mutable_data_ptr<std::int64_t>());
    return out;
}

Result<std::vector<float>> samplesOf(const Utterance& utterance, const AudioRequest& request, std::string& shorter) {
    if (!utterance.shard)
        return readAudio(utterance.path, request, &shorter);
    RS_TRY_ASSIGN(const auto content,
                  readTarMember(*utterance.shard, {utterance.path, utterance.shardAt, utterance.bytes}));
    return decodeAudio(content, utterance.place(), request, &shorter);
}

} // namespace

BatchMaker::BatchMaker(const config::DatasetConfig& config, NoiseBank noise, int rank, std::uint64_t seed)
    : m_config(config), m_noise(std::move(noise)), m_rank(rank), m_seed(seed) {}

/// Appends the audio of the readable `utterances` until there are `enough`.
void BatchMaker::read(const std::vector<Utterance>& utterances, std::size_t enough, const MakerHooks& hooks,
                      std::vector<std::vector<float>>& audio, MadeBatch& made) const {
    Batch& batch = *made.batch;
    AudioRequest request;
    request.sampleRate = m_config.sampleRate;
    request.channel = m_config.channel;
    if (m_config.maxDuration > 0)
        request.limitSeconds = m_config.maxDuration;
    const auto least = static_cast<std::size_t>(kMinSeconds * m_config.sampleRate);
    std::size_t longest = 0; // in this call: a second call only follows if the first found nothing
    for (const Utterance& utterance : utterances) {
        if (audio.size() >= enough || hooks.givenUp())
            return;
        hooks.reading(utterance.place());
        hooks.beforeFile();
        request.offset = utterance.offset;
        request.duration = utterance.duration;
        std::string shorter;
        auto samples = samplesOf(utterance, request, shorter);
        if (!samples) {
            made.broken.push_back({utterance.row, std::move(samples.error())});
            continue;
        }
        if (!shorter.empty())
            made.shorter.push_back({Errc::BadInput, std::move(shorter), utterance.place()});
        repeatTo(*samples, least);
        if (samples->size() > longest) {
            longest = samples->size();
            batch.longestFile = utterance.place();
        }
        batch.indices.push_back(utterance.row);
        batch.samples.push_back(static_cast<std::int64_t>(samples->size()));
        audio.push_back(std::move(*samples));
    }
}

void BatchMaker::addNoise(const BatchPlan& plan, MadeBatch& made) const {
    Batch& batch = *made.batch;
    const std::int64_t rows = batch.audio.size(0), stride = batch.audio.size(1);
    Rng rng{m_seed, static_cast<std::uint64_t>(plan.epoch), static_cast<std::uint64_t>(m_rank),
            static_cast<std::uint64_t>(plan.inEpoch)};
    batch.noisy = torch::empty({rows, stride}, batch.audio.options().pinned_memory(m_config.pinMemory));
    float* noise = batch.noisy.mutable_data_ptr<float>();
    std::vector<std::int64_t> noiseLength;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t length = batch.samples[static_cast<std::size_t>(i)];
        float* row = noise + i * stride;
        noiseLength.push_back(m_noise.draw(length, rng, row, [&](const Error& error) {
            made.broken.push_back({-1, error});
        }));
        std::fill(row + length, row + stride, 0.0f);
    }
    const float* clean = batch.audio.const_data_ptr<float>();
    if (m_config.augmentor.present)
        augment({clean, batch.samples.data(), noise, noiseLength.data(), rows, stride}, m_config.augmentor, rng);
    for (std::int64_t i = 0; i < rows * stride; ++i)
        noise[i] += clean[i];
}

MadeBatch BatchMaker::make(const BatchPlan& plan, const MakerHooks& hooks) const {
    MadeBatch made;
    made.batch.emplace();
    std::vector<std::vector<float>> audio;
    audio.reserve(plan.utterances.size());
    read(plan.utterances, plan.utterances.size(), hooks, audio, made);
    if (audio.empty())
        read(plan.spares, 1, hooks, audio, made);
    if (audio.empty() || hooks.givenUp()) {
        made.batch.reset();
        return made;
    }
    Batch& batch = *made.batch;
    batch.epoch = plan.epoch;
    batch.skippedFiles = static_cast<int>(made.broken.size());
    batch.audio = padded(audio, static_cast<std::size_t>(*std::max_element(batch.samples.begin(), batch.samples.end())),
                         m_config.pinMemory);
    batch.audioLen = lengths(batch.samples, m_config.pinMemory);
    // NeMo passes on the noise clip's own length if it did not mix, which would cut an utterance whose clip is shorter
    batch.noisyLen = lengths(batch.samples, m_config.pinMemory);
    addNoise(plan, made);
    return made;
}

} // namespace rankscope::trainer
