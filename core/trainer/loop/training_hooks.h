// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/data/batches/batch.h"
#include "core/trainer/distributed/parallel/length_sync.h"
#include "core/trainer/loop/faults/fault_injector.h"
#include "core/trainer/nn/collective_hooks.h"
#include "core/trainer/ssl/nest_model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope::trainer {

/// Copies a batch to the device. From pinned memory (pin_memory) the copies run while the host continues; its allocator
/// waits for them before it reuses the memory.
inline NestInput toDevice(const Batch& batch, at::Device device) {
    const auto moved = [device](const torch::Tensor& tensor) { return tensor.to(device, /*non_blocking=*/true); };
    return {moved(batch.audio), moved(batch.audioLen), moved(batch.noisy), moved(batch.noisyLen)};
}

/// Describes the batch that goes into the model. NeMo counts one mel frame per hop of an utterance's samples.
telemetry::BatchRecord schemaOf(const Batch& batch, std::int64_t hop, std::int64_t step, std::int64_t waitNs);

/// Writes what forward reports to the board and the journal.
class TrainingHooks final : public ForwardHooks {
public:
    using Input = std::function<void(const torch::Tensor& mel, const std::vector<std::int64_t>& lengths)>;

    /// `lengthSync` null: a single rank, nothing is synchronized.
    TrainingHooks(std::shared_ptr<observer::RankTelemetry> telemetry, std::shared_ptr<LengthSync> lengthSync,
                  std::shared_ptr<Faults> faults)
        : m_telemetry(std::move(telemetry)), m_lengthSync(std::move(lengthSync)), m_faults(std::move(faults)) {}

    /// Call it before a batch goes into forward.
    void enter(const telemetry::BatchRecord& facts) { m_facts = &facts; }
    /// Sets a function that receives the encoder's next input, once.
    void watchInput(Input input) { m_input = std::move(input); }

    void phase(telemetry::Phase phase) override;
    void place(telemetry::ForwardSite place, int layer) override;
    /// Called when the encoder's input is known, so that the batch's record is complete before the length sync begins.
    void inputShape(std::int64_t batch, std::int64_t features, std::int64_t frames) override;
    void beforeEncoder(const torch::Tensor& mel, const std::vector<std::int64_t>& lengths) override;
    bool followsBackward() const override { return true; }
    std::int64_t syncMaxAudioLength(std::int64_t localMax) override;

private:
    std::shared_ptr<observer::RankTelemetry> m_telemetry;
    std::shared_ptr<LengthSync> m_lengthSync;
    std::shared_ptr<Faults> m_faults;
    const telemetry::BatchRecord* m_facts = nullptr;
    Input m_input;
};

} // namespace rankscope::trainer
