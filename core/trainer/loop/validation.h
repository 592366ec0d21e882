// SPDX-License-Identifier: Apache-2.0
// The loss on held-out speech: NeMo's validation_step, in eval mode, masked as in training, averaged over batches and
// ranks.
#pragma once

#include "core/trainer/loop/assemble.h"

#include <cstdint>

namespace rankscope::trainer {

struct ValidationResult {
    double loss = 0;                        ///< mean over batches, then over ranks; NaN: no batch had a masked frame
    double localLoss = 0;                   ///< of this rank's batches
    std::int64_t batches = 0, unmasked = 0; ///< of this rank; unmasked: without a masked frame, they count in no mean
    std::int64_t maskedFrames = 0;
    std::int64_t beginNs = 0, endNs = 0; ///< by the training thread
};

/// All ranks call it together. Leaves the model in training mode. Each validation sees the same batches with the same
/// noise, so that two of them can be compared. Throws RunError when the data cannot be read, and what collectives
/// throw.
ValidationResult validate(Rank& rank, std::int64_t batches);

} // namespace rankscope::trainer
