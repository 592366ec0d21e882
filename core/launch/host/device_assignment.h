// SPDX-License-Identifier: Apache-2.0
// From trainer.devices, trainer.accelerator and what is there to the number of ranks. Pure.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::launch {

struct Machine {
    int gpus = 0; ///< that ranks may have
    int cores = 1;
    /// What an inherited CUDA_VISIBLE_DEVICES names, in its order: a scheduler gave these and no others. None: it is
    /// not set, and the driver's own numbers count.
    std::optional<std::vector<std::string>> visible;
};

/// The GPUs that CUDA takes from CUDA_VISIBLE_DEVICES on a machine that has `gpus`: numbers, and UUIDs and MIG ids as
/// they are. The list ends before the first entry that names none.
std::vector<std::string> visibleGpus(std::string_view variable, int gpus);

struct DevicePlan {
    std::string device;      ///< "cpu" or "cuda"
    int ranks = 1;           ///< on this machine
    std::vector<int> gpuIds; ///< places in Machine::visible, else as the driver numbers them; empty on CPU
};

/// `requestedRanks`: of --ranks; 0 when it was not given.
Result<DevicePlan> planDevices(const config::TrainerConfig& trainer, int requestedRanks, const Machine& machine);

/// True if trainer.devices is not a number of ranks: a list of GPUs, such as "0,2" or "[1]", or a value that
/// planDevices() refuses.
bool namesGpus(const config::TrainerConfig& trainer);

/// True if this value of trainer.devices says how many ranks there are on any machine: a number, or a list of GPUs.
bool countsRanks(const std::string& devices);

/// What the driver calls a GPU of DevicePlan::gpuIds.
std::string gpuName(const Machine& machine, int id);

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
