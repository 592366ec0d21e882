// SPDX-License-Identifier: Apache-2.0
// Determines the number of ranks from trainer.devices, trainer.accelerator and the machine's devices. Pure.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// The devices of this machine, as far as the number of ranks depends on them.
struct Machine {
    int gpus = 0; ///< GPUs that ranks may use
    int cores = 1;
    /// Devices named by an inherited CUDA_VISIBLE_DEVICES, in its order: a scheduler assigned these and no others.
    /// None: it is not set, and the driver's own numbers count.
    std::optional<std::vector<std::string>> visible;
};

/// Returns the GPUs that CUDA takes from CUDA_VISIBLE_DEVICES on a machine with `gpus` GPUs: numbers, and UUIDs and MIG
/// ids as they are. The list ends before the first entry that does not name a GPU.
std::vector<std::string> visibleGpus(std::string_view variable, int gpus);

/// The ranks of this machine and where they compute.
struct DeviceAssignment {
    std::string device;      ///< "cpu" or "cuda"
    int ranks = 1;           ///< on this machine
    std::vector<int> gpuIds; ///< positions in Machine::visible, or the driver's numbers if it is not set; empty on CPU
};

/// Returns the number of ranks and their devices. `requestedRanks`: from --ranks; 0 if it was not given.
Result<DeviceAssignment> planDevices(const config::TrainerConfig& trainer, int requestedRanks, const Machine& machine);

/// Returns true if trainer.devices is not a number of ranks: a list of GPUs, such as "0,2" or "[1]", or a value that
/// planDevices() refuses.
bool namesGpus(const config::TrainerConfig& trainer);

/// Returns true if this value of trainer.devices gives a fixed number of ranks on any machine: a number, or a list of
/// GPUs.
bool countsRanks(const std::string& devices);

/// Returns the driver's name for a GPU of DeviceAssignment::gpuIds.
std::string gpuName(const Machine& machine, int id);

/// Returns the variables added to a rank's environment: torchrun's variables, the GPUs that it sees, its threads
/// (rankscope.threads_per_rank, or else the user's own OMP_NUM_THREADS if it is set, or else a fair share of the
/// cores).
std::vector<std::pair<std::string, std::string>> rankEnvironment(int rank, const config::Recipe& recipe,
                                                                 const DeviceAssignment& devices,
                                                                 const Machine& machine, const std::string& port,
                                                                 bool ownThreads);

/// Returns how many CPU ranks a configuration may request; two ranks run anywhere.
int mostCpuRanks(const Machine& machine);
/// Returns how many CPU ranks --ranks may request: users who give it know that the ranks share cores.
int mostCpuRanksByHand(const Machine& machine);

} // namespace rankscope::launch
