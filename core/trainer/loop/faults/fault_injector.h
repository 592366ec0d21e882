// SPDX-License-Identifier: Apache-2.0
// Injects the faults that the configuration asks for (rankscope.faults), so that stalls can be shown and tested. Off by
// default. docs/diagnosis.md says what each kind does, fault_actions.h how.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/steps/step_schedule.h"
#include "core/trainer/data/batches/batch.h"
#include "core/trainer/loop/faults/fault_actions.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer {

using plan::StepSchedule;

/// Returns the text of the configuration that this rank trains with; other_settings changes it.
Result<std::string> textForRank(const std::string& text, const config::Recipe& recipe, int rank);

/// The faults of one rank.
class Faults {
public:
    using Tell = std::function<void(std::int64_t step, const std::string& text)>;

    /// `interrupted`: polled while a fault sleeps or spins; true ends it early. `tell`: called by any thread when a
    /// fault starts to act.
    Faults(
        const std::vector<config::FaultConfig>& all, int rank, int sampleRate, std::function<bool()> interrupted,
        Tell tell = [](std::int64_t, const std::string&) {});

    bool any() const { return !m_mine.empty(); }
    /// Returns a sentence for each fault, for the log.
    std::vector<std::string> sentences() const;
    void setPlan(const StepSchedule& plan) { m_plan = plan; } ///< before the first batch is made

    // Called by worker threads of the loader.
    /// data_loading: waits until the training thread wants this batch, so that prefetching does not hide the stall,
    /// then sleeps.
    void beforeBatch(std::int64_t index);
    void beforeFile(std::int64_t index);               ///< slow_reader
    void afterBatch(std::int64_t index, Batch& batch); ///< long_batch, nan_input

    // Called by the training thread.
    void beforeJoin(); ///< never_joined
    void wants(std::int64_t index);
    /// Call it when a phase has begun: preprocessing, slow_compute, slow_rank, stopped, dead, out_of_memory.
    void enter(telemetry::Phase phase, std::int64_t step);
    /// Inside forward or backward: slow_compute at a place, slow_rank.
    void enter(telemetry::ForwardSite place, int layer, std::int64_t step);
    /// Call it when a collective has arrived and is not yet handed over: stuck_collective.
    void insideCollective(std::string_view tag, std::int64_t step);
    bool hasBatch(std::int64_t step) { return !begins("uneven_batches", step); }
    bool syncsLength(std::int64_t step) { return !begins("no_length_sync", step); }
    bool masks(std::int64_t step) { return !begins("empty_batch", step); }
    bool lossIsInfinite(std::int64_t step) { return begins("inf_loss", step); }
    void cancel(); ///< wakes waiting threads

    /// checkpoint: call it where a checkpoint is written, from any thread.
    void inCheckpoint(std::int64_t step);

private:
    struct Fault : config::FaultConfig {
        telemetry::Phase where = telemetry::Phase::Forward;
        telemetry::ForwardSite spot = telemetry::ForwardSite::None;
        std::int64_t actedAt = -1; ///< a step's later micro-batches do not count
        std::int64_t times = 0;    ///< checkpoint: how many it has slowed
        bool told = false;         ///< under the mutex
    };

    static bool acts(const Fault& fault, std::int64_t step);
    Fault* acting(std::string_view kind, std::int64_t step);
    /// Returns the fault of that kind that acts in this step, after reporting it; null: none.
    const Fault* begins(std::string_view kind, std::int64_t step);
    void tell(Fault& fault, std::int64_t step); ///< reports it, the first time only
    void drag(telemetry::Phase before, std::int64_t step);
    void sleepFor(double seconds);

    std::vector<Fault> m_mine;
    int m_sampleRate;
    std::function<bool()> m_interrupted;
    Tell m_tell;
    StepSchedule m_plan;
    ComputeDrag m_drag;
    telemetry::Phase m_phase = telemetry::Phase::None; ///< of the training thread
    std::int64_t m_backwardNs = 0;                     ///< processor time of the last one

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::int64_t m_wanted = -1;
    bool m_cancelled = false;
};

} // namespace rankscope::trainer
