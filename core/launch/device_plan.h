// SPDX-License-Identifier: Apache-2.0
// From trainer.devices, trainer.accelerator and what is there to the number of ranks. Pure.
#pragma once

#include "core/base/error.h"
#include "core/config/recipe.h"

#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

struct Machine {
    int gpus = 0;
    int cores = 1;
};

struct DevicePlan {
    std::string device;      ///< "cpu" or "cuda"
    int ranks = 1;           ///< on this machine
    std::vector<int> gpuIds; ///< as the driver numbers them; empty on CPU
};

/// `requestedRanks`: of --ranks; 0 when it was not given.
Result<DevicePlan> planDevices(const config::TrainerConfig& trainer, int requestedRanks, const Machine& machine);

/// What is added to a rank's environment: torchrun's variables, the GPUs it sees, its threads
/// (rankscope.threads_per_rank, else the user's own OMP_NUM_THREADS where there is one, else a fair share of the
/// cores).
std::vector<std::pair<std::string, std::string>> rankEnvironment(int rank, const config::Recipe& recipe,
                                                                 const DevicePlan& devices, const Machine& machine,
                                                                 const std::string& port, bool ownThreads);

/// CPU ranks that a configuration may ask for, and those that --ranks may: two ranks run anywhere, and who writes
/// --ranks knows that they share cores.
int mostCpuRanks(const Machine& machine);
int mostCpuRanksByHand(const Machine& machine);

} // namespace rankscope::launch
