// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/loop/setup/rank_runtime.h"

namespace rankscope::trainer {

/// Returns an error that names the key if the recipe asks for something that this trainer cannot do.
Result<void> checkTrainer(const config::Recipe& recipe);

/// Returns the device that trainer.accelerator means for this local rank.
Result<at::Device> chooseDevice(const config::TrainerConfig& trainer, int localRank);

/// Builds data loaders, model and optimizer, without the other ranks.
Result<void> buildAlone(RankRuntime& rank);

/// Runs the rendezvous and the start checks, then creates process group and DDP. Blocks until all ranks have joined.
/// Returns an error if the run would hang.
Result<void> joinOthers(RankRuntime& rank);

} // namespace rankscope::trainer
