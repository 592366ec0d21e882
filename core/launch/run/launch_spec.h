// SPDX-License-Identifier: Apache-2.0
// The options of a launch, the plan made from them before it begins, and its exit codes.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/diagnosis/model/settings.h"
#include "core/launch/run/run_info.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// The options of a launch.
struct LaunchOptions {
    std::filesystem::path config; ///< empty with `resume` or `relaunch`: the recipe of that run
    std::vector<std::string> overrides;
    int ranks = 0; ///< 0: from trainer.devices
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
    std::filesystem::path resume;        ///< folder of an ended run, whose newest checkpoint training resumes from
    std::filesystem::path relaunch = {}; ///< folder of the run that is repeated from its first step
    std::vector<config::FaultConfig> faults = {}; ///< added to the recipe's
    std::string checkpoint = {};           ///< with `resume`: its name in that run; empty: the newest complete one
    std::filesystem::path nemoPython = {}; ///< Python in which NeMo trains; empty: Rankscope's trainer does
};

/// What a run is supervised with.
struct SupervisionSettings {
    diagnosis::Settings detector;
    std::int64_t retentionSteps = 2000; ///< newest steps whose collectives and phases are kept
    double stopGraceSeconds = 10;       ///< until ranks that do not leave are killed
    std::vector<std::string> onIncident;
    std::vector<config::FaultConfig> faults; ///< that the ranks inject
};

/// Everything that is decided about a launch before anything is written or started.
struct PreparedLaunch {
    RunPaths run;
    RunInfo info;
    std::string configText, effectiveText; ///< empty: it has no recipe
    std::filesystem::path trainer;
    std::filesystem::path checkpoints; ///< of the run that training resumes from; empty: none
    std::string checkpoint;            ///< name of the one to resume from; empty: the newest complete one
    struct RankLaunch {
        int rank = 0, localRank = 0;
        std::vector<std::string> argv;
        std::vector<std::pair<std::string, std::string>> environment;
    };
    std::vector<RankLaunch> ranks; ///< that the supervisor starts; empty: it finds them by their boards
    /// Program that starts the ranks; empty: they are started by other programs, or by the supervisor.
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>> environment; ///< of the command, in addition to the caller's
    bool forwards = true; ///< The command's output also goes to the caller's standard output and error.
    std::string device;   ///< "cpu" or "cuda"
    SupervisionSettings settings;
};

/// Exit codes: 0 done, 1 a check failed, 2 bad input, 3 a rank failed, 4 stopped by the user.
enum ExitCode : int { kDone = 0, kCheckFailed = 1, kBadInput = 2, kRankFailed = 3, kStopped = 4 };

} // namespace rankscope::launch
