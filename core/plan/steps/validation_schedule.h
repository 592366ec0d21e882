// SPDX-License-Identifier: Apache-2.0
// When a run validates, as Lightning counts: arithmetic only.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <vector>

namespace rankscope::plan {

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
