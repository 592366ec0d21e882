// SPDX-License-Identifier: Apache-2.0
// A launch that starts nothing: see core/plan/result/plan.h.
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

struct DryRunOptions {
    int ranks = 0; ///< of --ranks; 0: from trainer.devices
    config::MachineFacts machine;
    plan::Target target;                ///< with a name: `machine` is a node of it, and nothing here is looked at
    std::filesystem::path runsDir;      ///< whose free space counts; empty: nobody asks
    std::vector<std::string> overrides; ///< that the configuration was evaluated with: for the lines to copy
    /// Operations a second that a rank of an earlier run of this recipe's model reached here; empty id: none is known.
    struct Reached {
        std::string run;
        double flopsPerSecond = 0;
        std::int64_t steps = 0; ///< measured just now over so many, not by an earlier run; 0: it was one
    };
    std::function<Reached(const plan::Plan&, const config::Recipe&)> reached; ///< may be null
    /// Asked now and then while manifests are read and epochs are laid out (a million lines take seconds); true: leave
    /// with an Error. May be null.
    std::function<bool()> cancelled;
};

/// Reads the manifests that the recipe names; relative paths are taken from the working folder. What a launch would
/// refuse is an Error as of a launch, except what concerns data: a manifest that is missing or broken, or that the
/// recipe leaves open (???), is told in the plan (DataPlan::problem, risks). Blocks: not for the window's own thread.
Result<plan::Plan> dryRun(const config::Effective& effective, const std::string& fileName,
                          const DryRunOptions& options);

/// Of several GPUs what the least of them has.
void addGpus(config::MachineFacts& facts, const std::vector<GpuFacts>& gpus);
/// Of the machine on which this runs.
config::MachineFacts machineFacts();

} // namespace rankscope::launch
