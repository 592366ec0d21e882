// SPDX-License-Identifier: Apache-2.0
// The hooks through which the model reports to the process that runs it and exchanges data. The model knows neither
// process groups nor telemetry.
#pragma once

#include "core/telemetry/format/phase.h"
#include "core/trainer/libtorch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// Called by the training thread from inside forward. By default all do nothing: a single process without telemetry.
class ForwardHooks {
public:
    virtual ~ForwardHooks() = default;
    virtual void phase(telemetry::Phase) {} ///< a new phase begins; the previous one ends
    virtual void place(telemetry::ForwardSite, int /*layer*/ = -1) {}
    virtual void inputShape(std::int64_t /*batch*/, std::int64_t /*features*/, std::int64_t /*frames*/) {
    } ///< of the encoder's input
    /// Returns the largest input length in frames over all ranks, NeMo ConformerEncoder.sync_max_audio_length; called
    /// only if that is on.
    virtual std::int64_t syncMaxAudioLength(std::int64_t localMax) { return localMax; }
    /// The encoder is about to begin. `mel`: its input [batch, features, frames]; `lengths`: of each row, in frames.
    virtual void beforeEncoder(const torch::Tensor& /*mel*/, const std::vector<std::int64_t>& /*lengths*/) {}
    /// If true, place() is also called in backward, by the thread that runs it, when it reaches a place that place()
    /// named in forward. The hooks must then live until backward is done.
    virtual bool followsBackward() const { return false; }
    virtual void targetsReady() {} ///< the quantizer is done; masking comes next
};

/// Announces `place` in backward when it reaches the operation that made `output`.
inline void announceBackward(const torch::Tensor& output, ForwardHooks& hooks, telemetry::ForwardSite place,
                             int layer = -1) {
    if (hooks.followsBackward() && output.requires_grad())
        output.register_hook([&hooks, place, layer](const torch::Tensor&) { hooks.place(place, layer); });
}

/// Exchanges SyncBatchNorm's statistics; one call per layer in forward and one in backward, in the same order on all
/// ranks.
class StatsExchange {
public:
    virtual ~StatsExchange() = default;
    virtual int worldSize() const = 0;
    /// [2C+1] float32 of this rank (mean, biased variance, count) -> [worldSize, 2C+1].
    virtual torch::Tensor allGather(const torch::Tensor& local, const std::string& layer) = 0;
    /// Sums [2C] float32 over all ranks, in place.
    virtual void allReduceSum(torch::Tensor& values, const std::string& layer) = 0;
};

} // namespace rankscope::trainer
