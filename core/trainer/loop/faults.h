// SPDX-License-Identifier: Apache-2.0
// Faults that the configuration asks for (rankscope.faults), so that stalls can be shown and tested. Off unless asked
// for.
#pragma once

#include "core/config/recipe.h"
#include "core/trainer/data/batch_loader.h"
#include "core/trainer/loop/step_plan.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// The faults of one rank.
class Faults {
public:
    /// `interrupted`: asked while a fault sleeps or spins; true ends it early.
    Faults(const std::vector<config::FaultConfig>& all, int rank, int sampleRate, std::function<bool()> interrupted);

    bool any() const { return !m_mine.empty(); }
    /// A sentence for each, for the log.
    std::vector<std::string> sentences() const;
    void setPlan(const StepPlan& plan) { m_plan = plan; } ///< before the first batch is made

    // Worker threads of the loader.
    /// data_loading: waits until the training thread wants this batch, so that no prefetched batch hides the stall,
    /// then sleeps.
    void beforeBatch(std::int64_t index);
    /// long_batch: repeats the batch's audio up to the length asked for.
    void afterBatch(std::int64_t index, Batch& batch);

    // The training thread.
    void wants(std::int64_t index);
    /// slow_compute, stopped, dead.
    void inForward(std::int64_t step);
    void cancel(); ///< wakes those that wait

private:
    bool acts(const config::FaultConfig& fault, std::int64_t step) const;
    void sleepFor(double seconds);

    std::vector<config::FaultConfig> m_mine;
    int m_sampleRate;
    std::function<bool()> m_interrupted;
    StepPlan m_plan;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::int64_t m_wanted = -1;
    bool m_cancelled = false;
};

/// Repeats every utterance of the batch until it lasts `samples`.
void extendBatch(Batch& batch, std::int64_t samples);

/// SIGKILL of "SIGKILL"; 0: no such signal.
int signalByName(const std::string& name);

} // namespace rankscope::trainer
