// SPDX-License-Identifier: Apache-2.0
// The actions of the faults, each at the point where such a fault would happen naturally. fault_injector.h decides when
// and on which rank.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/telemetry/format/records.h"
#include "core/trainer/data/batches/batch.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rankscope::trainer {

/// Repeats every utterance of the batch until it lasts `samples`.
void extendBatch(Batch& batch, std::int64_t samples);
/// Puts 10 ms of NaN in the middle of the first utterance, clean and noisy.
void spoilBatch(Batch& batch, std::int64_t sampleRate);

/// Returns the number of a signal such as "SIGKILL"; 0: no such signal.
int signalByName(const std::string& name);
/// Ends this process as the fault says; does not return unless the signal is ignored.
void die(const config::FaultConfig& fault);
/// Allocates and touches memory until an allocation fails, then throws std::bad_alloc. RLIMIT_AS lets the process take
/// only `megabytes` more than it has, so the machine does not run short of memory.
void exhaustMemory(std::int64_t megabytes);
/// Computes for this long, in a busy loop.
void spinFor(double seconds, const std::function<bool()>& interrupted);

/// Returns the phase of that name, or none if there is no such phase.
std::optional<telemetry::Phase> phaseNamed(std::string_view name);
std::optional<telemetry::ForwardSite> placeNamed(std::string_view name);

/// Makes the calling thread take `factor` times its normal processor time.
class ComputeDrag {
public:
    /// Starts counting processor time.
    void mark();
    /// Burns the extra processor time for the time since mark(), and marks again. `interrupted` ends it early.
    void stretch(double factor, const std::function<bool()>& interrupted);
    /// Returns the processor time since mark(), ns.
    std::int64_t sinceMark() const;
    /// Burns this much processor time, and marks again.
    void burn(std::int64_t cpuNs, const std::function<bool()>& interrupted);

private:
    std::int64_t m_markNs = 0;
};

} // namespace rankscope::trainer
