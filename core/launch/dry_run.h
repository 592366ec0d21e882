// SPDX-License-Identifier: Apache-2.0
// A launch that starts nothing: see core/plan/plan.h.
#pragma once

#include "core/base/error.h"
#include "core/config/effective.h"
#include "core/launch/nvml.h"
#include "core/plan/plan.h"

#include <functional>
#include <string>

namespace rankscope::launch {

struct DryRunOptions {
    int ranks = 0; ///< of --ranks; 0: from trainer.devices
    config::MachineFacts machine;
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
