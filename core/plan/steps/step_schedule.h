// SPDX-License-Identifier: Apache-2.0
// Which batches make up which optimizer step: arithmetic only.
#pragma once

#include <cstdint>

namespace rankscope::plan {

/// As Lightning counts: `accumulate` batches make a step; the last step of an epoch takes what is left.
struct StepPlan {
    std::int64_t batchesPerEpoch = 1;
    int accumulate = 1;
    std::int64_t maxSteps = -1, maxEpochs = -1; ///< negative: no limit
    std::int64_t batchesInSet =
        0; ///< what the loader counts an epoch as, when limit_train_batches takes less; 0: the same

    std::int64_t stepsPerEpoch() const;
    /// Planned steps of the run; 0: no limit.
    std::int64_t totalSteps() const;
    /// Batches of the step that is number `stepInEpoch` of its epoch.
    int batchesOf(std::int64_t stepInEpoch) const;

    struct Position {
        std::int64_t step = 0; ///< of the run
        int micro = 0;         ///< which of the step's batches
    };
    /// Where the loader's batch with this number, counted over the whole run, belongs; step -1: it is beyond the limit.
    Position positionOf(std::int64_t batch) const;
    std::int64_t firstBatchOf(std::int64_t step) const;

    /// Batches of an epoch as the loader counts them.
    std::int64_t loaderEpoch() const { return batchesInSet > 0 ? batchesInSet : batchesPerEpoch; }
};

} // namespace rankscope::plan
