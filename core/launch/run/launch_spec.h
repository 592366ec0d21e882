// SPDX-License-Identifier: Apache-2.0
// What a launch is asked for, what is decided before it begins, and how it reports its end.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/launch/run/run_info.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// Everything that a launch needs.
struct LaunchOptions {
    std::filesystem::path config; ///< empty with `resume` or `relaunch`: that run's own recipe
    std::vector<std::string> overrides;
    int ranks = 0; ///< 0: from trainer.devices
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
    std::filesystem::path resume;        ///< the folder of an ended run, from whose newest checkpoint this one goes on
    std::filesystem::path relaunch = {}; ///< the folder of the run that this one repeats, from its first step
    std::vector<config::FaultConfig> faults = {}; ///< added to those of the recipe
    std::string checkpoint = {};                  ///< with `resume`: its name in that run; empty: the newest whole one
};

/// Decided before anything is written or started; nothing half-made is left when it fails.
struct LaunchPlan {
    RunPaths run;
    RunInfo info;
    std::string configText, effectiveText;
    std::filesystem::path trainer;
    std::filesystem::path checkpoints; ///< of the run that this one goes on from; empty: none
    std::string checkpoint;            ///< the one of them that it goes on from; empty: the newest whole one
    struct Rank {
        int rank = 0, localRank = 0;
        std::vector<std::string> argv;
        std::vector<std::pair<std::string, std::string>> environment;
    };
    std::vector<Rank> ranks;
    std::string device; ///< "cpu" or "cuda"
    config::Recipe recipe;
};

/// 0 done, 2 bad input, 3 a rank failed, 4 stopped by the user.
enum ExitCode : int { kDone = 0, kCheckFailed = 1, kBadInput = 2, kRankFailed = 3, kStopped = 4 };

} // namespace rankscope::launch
