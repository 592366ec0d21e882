// SPDX-License-Identifier: Apache-2.0
// When a run validates, as Lightning counts: arithmetic only.
#pragma once

#include "core/base/error.h"
#include "core/config/recipe.h"

#include <cstdint>

namespace rankscope::plan {

struct ValidationPlan {
    std::int64_t everyBatches = 0;  ///< 0: never
    bool acrossEpochs = false;      ///< count batches of the run, not of the epoch
    int everyNEpochs = 1;           ///< only at the end of, or inside, each n-th epoch; no meaning with acrossEpochs
    std::int64_t batches = 0;       ///< of one validation; 0: none is made
    std::int64_t sanityBatches = 0; ///< before training begins

    /// After the training batch number `batch` of `epoch`, both from 0.
    bool dueAfter(int epoch, std::int64_t batch, std::int64_t batchesPerEpoch) const;
};

/// `trainBatches`, `setBatches`: batches of an epoch of training (after its limit) and of the validation set. An
/// error, as in Lightning, when an interval is longer than the epoch it is counted in.
Result<ValidationPlan> planValidation(const config::TrainerConfig& trainer, std::int64_t trainBatches,
                                      std::int64_t setBatches);

} // namespace rankscope::plan
