// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/loop/setup/rank.h"

namespace rankscope::trainer {

/// What this build cannot do is refused here, by key, before anything is started.
Result<void> checkTrainer(const config::Recipe& recipe);

/// trainer.accelerator on this machine.
Result<at::Device> chooseDevice(const config::TrainerConfig& trainer, int localRank);

/// Data, model and optimizer; meets no other rank.
Result<void> buildAlone(Rank& rank);

/// Rendezvous, checks, process group, DDP. Blocks until all ranks are there. A run that would hang ends here.
Result<void> joinOthers(Rank& rank);

} // namespace rankscope::trainer
