// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/training_hooks.h"

#include "core/base/text/unit_format.h"

#include <algorithm>
#include <utility>

namespace rankscope::trainer {

telemetry::BatchRecord schemaOf(const Batch& batch, std::int64_t hop, std::int64_t step, std::int64_t waitNs) {
    telemetry::BatchRecord record;
    record.header.step = step;
    record.epoch = batch.epoch;
    record.size = static_cast<std::int32_t>(batch.samples.size());
    if (!batch.samples.empty()) {
        const auto [low, high] = std::minmax_element(batch.samples.begin(), batch.samples.end());
        record.samplesMin = *low;
        record.samplesMax = *high;
    }
    for (const std::int64_t samples : batch.samples) {
        record.samplesSum += samples;
        record.framesSum += samples / hop;
    }
    record.framesMin = record.samplesMin / hop;
    record.framesMax = record.samplesMax / hop;
    record.indexHash = hash64(
        {reinterpret_cast<const char*>(batch.indices.data()), batch.indices.size() * sizeof(batch.indices.front())});
    record.loadNs = batch.loadNs;
    record.waitNs = waitNs;
    record.queueDepth = batch.queueDepth;
    record.skippedFiles = batch.skippedFiles;
    return record;
}

void TrainingHooks::phase(telemetry::Phase phase) {
    m_telemetry->phase(phase);
    m_faults->enter(phase, m_telemetry->step());
}

void TrainingHooks::place(telemetry::ForwardSite place, int layer) {
    m_telemetry->board().place(place, layer);
    m_faults->enter(place, layer, m_telemetry->step());
}

void TrainingHooks::inputShape(std::int64_t batch, std::int64_t features, std::int64_t frames) {
    m_telemetry->board().inputShape(
        {static_cast<std::int32_t>(batch), static_cast<std::int32_t>(features), static_cast<std::int32_t>(frames), 0});
    if (!m_facts)
        return;
    telemetry::BatchRecord record = *m_facts;
    record.paddedFrames = batch * frames;
    record.paddingShare = record.paddedFrames > 0
                              ? 1.0 - static_cast<double>(record.framesSum) / static_cast<double>(record.paddedFrames)
                              : 0.0;
    m_telemetry->journal().append(record);
    m_facts = nullptr;
}

void TrainingHooks::beforeEncoder(const torch::Tensor& mel, const std::vector<std::int64_t>& lengths) {
    if (m_input)
        std::exchange(m_input, nullptr)(mel, lengths);
    if (m_lengthSync && m_lengthSync->hasBarrier()) {
        m_telemetry->phase(telemetry::Phase::Barrier);
        m_lengthSync->meet();
        m_telemetry->phase(telemetry::Phase::Forward);
    }
}

std::int64_t TrainingHooks::syncMaxAudioLength(std::int64_t localMax) {
    return m_lengthSync && m_faults->syncsLength(m_telemetry->step()) ? m_lengthSync->largest(localMax) : localMax;
}

} // namespace rankscope::trainer
