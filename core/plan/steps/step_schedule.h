// SPDX-License-Identifier: Apache-2.0
// Computes which batches make up which optimizer step, and when a run validates: arithmetic only.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <vector>

namespace rankscope::plan {

/// Counts as Lightning does: `accumulate` batches make a step; the last step of an epoch takes the remaining ones.
struct StepSchedule {
    std::int64_t batchesPerEpoch = 1;
    int accumulate = 1;
    std::int64_t maxSteps = -1, maxEpochs = -1; ///< negative: no limit
    std::int64_t batchesInSet =
        0; ///< epoch length as the loader counts it, if limit_train_batches takes less; 0: the same

    std::int64_t stepsPerEpoch() const;
    /// Returns the planned steps of the run; 0: no limit.
    std::int64_t totalSteps() const;
    /// Returns the number of batches in step `stepInEpoch` of an epoch.
    int batchesOf(std::int64_t stepInEpoch) const;

    struct SchedulePosition {
        std::int64_t step = 0; ///< in the run
        int micro = 0;         ///< index of the batch within the step
    };
    /// Returns the position of the loader's batch with this number, counted over the whole run; step -1 if it is beyond
    /// the limit.
    SchedulePosition positionOf(std::int64_t batch) const;
    std::int64_t firstBatchOf(std::int64_t step) const;

    /// Returns the number of batches of an epoch as the loader counts them.
    std::int64_t loaderEpoch() const { return batchesInSet > 0 ? batchesInSet : batchesPerEpoch; }
};

/// Decides when a run validates, as in Lightning.
struct ValidationPlan {
    struct Set {
        std::int64_t batches = 0;       ///< per validation
        std::int64_t sanityBatches = 0; ///< before training begins
    };

    std::int64_t everyBatches = 0; ///< 0: never
    bool acrossEpochs = false;     ///< true: counts batches of the run, not of the epoch
    int everyNEpochs = 1;          ///< only at the end of, or inside, each n-th epoch; not used with acrossEpochs
    std::vector<Set> sets;         ///< as config::validationSets() names them

    std::int64_t batches() const;       ///< of all sets; 0: there is no validation
    std::int64_t sanityBatches() const; ///< of all sets

    /// Returns whether a validation may be due in this epoch.
    bool mayValidate(int epoch) const;
    /// Returns whether a validation is due after training batch number `batch` of `epoch`, both from 0.
    bool dueAfter(int epoch, std::int64_t batch, std::int64_t batchesPerEpoch) const;
};

/// Applies a limit to `batches`. Returns an error, as in Lightning, if a share leaves less than one batch.
Result<std::int64_t> limited(const config::BatchLimit& limit, std::int64_t batches, const char* key);

/// Returns the number of batches of a rank's training epoch, for a set with `inSet` batches; it is at least one.
Result<std::int64_t> trainingBatches(const config::TrainerConfig& trainer, std::int64_t inSet);

/// `trainBatches`: batches of a training epoch after its limit; `setBatches`: batches of each validation set. Returns
/// an error, as in Lightning, if an interval is longer than the epoch it is counted in.
Result<ValidationPlan> planValidation(const config::TrainerConfig& trainer, std::int64_t trainBatches,
                                      const std::vector<std::int64_t>& setBatches);

} // namespace rankscope::plan
