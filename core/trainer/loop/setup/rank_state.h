// SPDX-License-Identifier: Apache-2.0
// What of a training run differs between its ranks: random numbers, and running statistics where nothing keeps them
// equal.
#pragma once

#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/loop/setup/rank.h"

namespace rankscope::trainer {

/// Of all ranks, in their order: `rng`, and `buffers` where they are each rank's own. A collective, tag "checkpoint".
void gatherRankStates(Rank& rank, TrainState& state);

/// Puts this rank's buffers back; its random numbers are put back just before the first step.
Result<void> restoreBuffers(Rank& rank, const TrainState& state);

} // namespace rankscope::trainer
