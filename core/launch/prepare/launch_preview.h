// SPDX-License-Identifier: Apache-2.0
// A preview of a launch, which starts nothing: see core/plan/result/plan.h.
#pragma once

#include "core/base/values/error.h"
#include "core/config/effective/effective.h"
#include "core/config/recipe/recipe.h"
#include "core/launch/host/nvml.h"
#include "core/plan/cost/target_machine.h"
#include "core/plan/result/plan.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// What a preview assumes about the machine, and what it is asked for.
struct DryRunOptions {
    int ranks = 0; ///< from --ranks; 0: from trainer.devices
    config::MachineFacts machine;
    plan::TargetMachine target; ///< if it has a name, `machine` is one of its nodes, and this machine is not examined
    std::filesystem::path runsDir;      ///< its free space is checked; empty: it is not
    std::vector<std::string> overrides; ///< used to evaluate the configuration; for the lines to copy
    /// Operations per second of one rank in an earlier run of this recipe's model here; empty id: unknown.
    struct EarlierSpeed {
        std::string run;
        double flopsPerSecond = 0;
        std::int64_t steps = 0; ///< measured just now over so many steps; 0: taken from an earlier run
    };
    std::function<EarlierSpeed(const plan::Plan&, const config::Recipe&)> reached; ///< may be null
    /// Called now and then while manifests are read and epochs are laid out (a million lines take seconds); true:
    /// return with an Error. May be null.
    std::function<bool()> cancelled;
};

/// Plans a launch and reads the manifests that the recipe names; relative paths start at the working folder. Returns
/// the errors of a launch that would be refused, except those that concern data: a manifest that is missing or broken,
/// or that the recipe leaves open (???), is reported in the plan (DataPlan::problem, risks). Blocks: not for the
/// window's own thread.
Result<plan::Plan> dryRun(const config::Effective& effective, const std::string& fileName,
                          const DryRunOptions& options);

/// Adds GPUs; of several, the smallest values count.
void addGpus(config::MachineFacts& facts, const std::vector<GpuFacts>& gpus);
/// Returns the facts about this machine.
config::MachineFacts machineFacts();

} // namespace rankscope::launch
