// SPDX-License-Identifier: Apache-2.0
// Owns one run: its children, its store, its incidents.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/diagnosis/evidence/run_stall.h"
#include "core/launch/run/run_folder.h"

#include <filesystem>
#include <functional>
#include <string>
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

Result<LaunchPlan> plan(const LaunchOptions& options);

/// 0 done, 2 bad input, 3 a rank failed, 4 stopped by the user.
enum ExitCode : int { kDone = 0, kCheckFailed = 1, kBadInput = 2, kRankFailed = 3, kStopped = 4 };

struct Progress {
    RunState state = RunState::Starting;
    std::int64_t step = -1, totalSteps = 0;
    double loss = 0;
    diagnosis::Standstill standstill; ///< while it stands still there is neither a rate nor a time left
    double stepsPerSecond = 0;        ///< of the newest steps that nothing held up; 0: not known
    double audioPerSecond = 0;        ///< seconds of speech that all ranks train on a second; 0: not known
    std::int64_t stepsPerEpoch = 0;   ///< 0: not known
    std::int64_t nowNs = 0;           ///< monotonic
    std::string headline;             ///< the newest open incident's sentence, or the end's cause
    std::int64_t incident = 0;        ///< id of that incident; 0: none is open
    std::string trouble;              ///< of the supervisor itself: what cannot be written now, and why
};

/// Makes the folder, starts the ranks, drains, diagnoses, stops; returns when no child is left. Blocks; call from main.
/// SIGTERM, SIGINT and SIGHUP stop the run (exit code 4); a second one, or SIGQUIT, at once. The first report comes
/// when all ranks are started; an Error comes only before that, and then nothing is left of the run.
Result<int> supervise(const LaunchPlan& plan, const std::function<void(const Progress&)>& report);

/// Brings a run whose supervisor is gone up to date: drains journals into the store, ends its state truthfully. No-op
/// when a supervisor lives or nothing is left to do.
Result<void> recover(const RunPaths& run);

/// Asks the supervisor to stop; when there is none, ends what is left of its ranks. Returns at once.
Result<void> requestStop(const RunPaths& run, bool now);

} // namespace rankscope::launch
