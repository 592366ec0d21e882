// SPDX-License-Identifier: Apache-2.0
// Measures the loss on held-out speech: NeMo's validation_step, in eval mode, masked as in training, averaged over the
// batches of each set.
#pragma once

#include "core/trainer/loop/setup/rank_runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct ValidationResult { // of one set
    std::string lossName;
    bool monitored = true;                  ///< whether its loss is val_loss
    double loss = 0;                        ///< localLoss, or with rankscope.validation.mean_over_ranks the ranks' mean
    double localLoss = 0;                   ///< mean over this rank's batches; NaN: none had a masked frame
    std::int64_t batches = 0, unmasked = 0; ///< of this rank; unmasked: without a masked frame, left out of every mean
    std::int64_t maskedFrames = 0;
};

struct Validation {
    std::vector<ValidationResult> sets;
    std::int64_t beginNs = 0, endNs = 0; ///< read by the training thread

    const ValidationResult& monitored() const;
};

enum class ValidationKind { Whole, Sanity };

/// Runs a validation. All ranks call it together, with a plan that has batches. Leaves the model in training mode. Each
/// validation sees the same batches with the same noise, so that two of them can be compared. Throws RunError if the
/// data cannot be read, and what collectives throw.
Validation validate(RankRuntime& rank, ValidationKind kind);

} // namespace rankscope::trainer
