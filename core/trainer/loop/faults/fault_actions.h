// SPDX-License-Identifier: Apache-2.0
// What the faults do, each where it would happen by itself. When and on which rank: fault_injector.h.
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
/// 10 ms of NaN in the middle of the first utterance, clean and noisy.
void spoilBatch(Batch& batch, std::int64_t sampleRate);

/// SIGKILL of "SIGKILL"; 0: no such signal.
int signalByName(const std::string& name);
/// Ends this process as the fault says; does not return unless the signal is ignored.
void die(const config::FaultConfig& fault);
/// Takes and touches memory until an allocation fails: throws std::bad_alloc. The process may take `megabytes` more
/// than it has, by RLIMIT_AS: the machine is not put under pressure.
void exhaustMemory(std::int64_t megabytes);
/// Computes for so long, in a busy loop.
void spinFor(double seconds, const std::function<bool()>& interrupted);

/// The phase of that name; none: there is none.
std::optional<telemetry::Phase> phaseNamed(std::string_view name);
std::optional<telemetry::Place> placeNamed(std::string_view name);

/// Makes the calling thread take `factor` times the processor time that it takes by itself.
class Drag {
public:
    /// From here on it counts.
    void mark();
    /// Burns what is missing for the time since mark(), and marks. `interrupted` ends it early.
    void stretch(double factor, const std::function<bool()>& interrupted);
    /// Processor time since mark(), ns.
    std::int64_t sinceMark() const;
    /// Burns so much processor time, and marks.
    void burn(std::int64_t cpuNs, const std::function<bool()>& interrupted);

private:
    std::int64_t m_markNs = 0;
};

} // namespace rankscope::trainer
