// SPDX-License-Identifier: Apache-2.0
// Which batches make up which optimizer step, and when a run validates: arithmetic only.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <vector>

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

/// When a run validates, as Lightning counts.
struct ValidationPlan {
    struct Set {
        std::int64_t batches = 0;       ///< of one validation
        std::int64_t sanityBatches = 0; ///< before training begins
    };

    std::int64_t everyBatches = 0; ///< 0: never
    bool acrossEpochs = false;     ///< count batches of the run, not of the epoch
    int everyNEpochs = 1;          ///< only at the end of, or inside, each n-th epoch; no meaning with acrossEpochs
    std::vector<Set> sets;         ///< as config::validationSets() names them

    std::int64_t batches() const;       ///< of all sets; 0: no validation is made
    std::int64_t sanityBatches() const; ///< of all sets

    /// An epoch in which a validation may be due.
    bool mayValidate(int epoch) const;
    /// After the training batch number `batch` of `epoch`, both from 0.
    bool dueAfter(int epoch, std::int64_t batch, std::int64_t batchesPerEpoch) const;
};

/// What a limit leaves of `batches`. An error, as in Lightning, where a share leaves less than one batch.
Result<std::int64_t> limited(const config::BatchLimit& limit, std::int64_t batches, const char* key);

/// Batches of a rank's epoch of training, of a set that has `inSet`: at least one.
Result<std::int64_t> trainingBatches(const config::TrainerConfig& trainer, std::int64_t inSet);

/// `trainBatches`: of an epoch of training, after its limit; `setBatches`: of each validation set. An error, as in
/// Lightning, when an interval is longer than the epoch it is counted in.
Result<ValidationPlan> planValidation(const config::TrainerConfig& trainer, std::int64_t trainBatches,
                                      const std::vector<std::int64_t>& setBatches);

} // namespace rankscope::plan
