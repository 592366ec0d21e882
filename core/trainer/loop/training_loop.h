// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/loop/process/stop_request.h"
#include "core/trainer/loop/run_error.h"
#include "core/trainer/loop/setup/checkpointing.h"
#include "core/trainer/loop/setup/rank_runtime.h"
#include "core/trainer/loop/setup/start_checks.h"
#include "core/trainer/loop/training_hooks.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace rankscope::trainer {

/// The steps of one rank, from the first batch to the last or to a stop.
class TrainingLoop {
public:
    enum class LoopEnd { Finished, Stopped };

    /// `leaves`: called before each step with its number; true ends the run.
    TrainingLoop(RankRuntime& rank, std::function<bool(std::int64_t step)> leaves);

    /// Continues from a checkpoint, after `steps` steps.
    void startAfter(std::int64_t steps, std::int64_t trainedNs) {
        m_step = steps;
        m_timeLimit.elapsedBeforeNs = trainedNs;
    }
    /// Sets what is called after each step, including its validation.
    void onStep(std::function<void(const CheckpointContext&)> then) { m_then = std::move(then); }

    /// Throws RunError if no more data can be read, and what collectives throw.
    LoopEnd run();
    std::int64_t stepsDone() const { return m_step; }

private:
    struct StepSums {
        double loss = 0, lastLoss = 0; ///< of all batches, and of the last one
        std::int64_t maskedFrames = 0, samples = 0, exposedGradientNs = 0;
        std::int32_t flags = 0;
        bool complete = true; ///< false: the data ended inside the step
    };

    void enter(telemetry::Phase phase); ///< begins the phase, with the faults that act in it
    bool runEpoch(int epoch);           ///< returns false if the run ends
    bool timeIsOver();
    bool runStep(int epoch, std::int64_t stepInEpoch);
    StepSums accumulate(int epoch, std::int64_t stepInEpoch, int batches);
    std::optional<Batch> fetch(std::int64_t index, std::int64_t& waitNs);
    void forwardBackward(const Batch& batch, std::int64_t waitNs, bool sync, StepSums& sums);
    void optimize(telemetry::StepRecord& record); ///< at the step's learning rate; sets gradient norm and flags
    void sanityCheck();
    void validateIfDue(int epoch, std::int64_t batchInEpoch, bool last = false);
    void validateNow(int epoch);
    void report(const telemetry::StepRecord& record);
    void reportNotFinite(const telemetry::StepRecord& record);
    void reportSkipped();

    RankRuntime& m_rank;
    observer::RankTelemetry& m_telemetry;
    std::function<bool(std::int64_t)> m_leaves;
    std::function<void(const CheckpointContext&)> m_then = [](const CheckpointContext&) {};
    TrainingHooks m_hooks;
    FirstBatchCheck m_firstBatch;
    bool m_firstSeen = false, m_firstConcluded = false;
    TimeLimit m_timeLimit;
    const std::int64_t m_hop;
    const std::int64_t m_totalSteps;
    std::int64_t m_step = 0; ///< the next one
    LoopEnd m_end = LoopEnd::Finished;
    int m_notFiniteTold = 0, m_skippedTold = 0;
    std::optional<double> m_valLoss;           ///< of a validation in the current step
    std::map<std::string, double> m_setLosses; ///< of the same validation, by name, if there are several sets
};

} // namespace rankscope::trainer
