// SPDX-License-Identifier: Apache-2.0
// The files of a run's folder, and the contents of its run.json.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/end_reason.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// Where a run is between its start and its end.
enum class RunState : std::uint8_t {
    Starting,
    Running,
    Stopping,
    Finished,
    Failed,
    Stopped,  ///< by the user
    Lost,     ///< Its supervisor is gone and no end was recorded. Derived; never written while a supervisor lives.
    Imported, ///< from files of another program; how it ended is unknown
};
std::string_view runStateName(RunState state); ///< in stores and JSON
Message stateTitle(RunState state);            ///< for people
bool isLive(RunState state);                   ///< starting, running, stopping

/// Whether the process that supervises a run lives; supervisorLife() in run_folder.cpp decides it.
enum class SupervisorLife : std::uint8_t {
    Gone,
    Alive,
    Stopped, ///< by SIGSTOP or Ctrl-Z, until it receives SIGCONT
    Unknown, ///< Neither the process nor its lock can be examined from here.
};
std::string_view supervisorLifeName(SupervisorLife life);

/// The files of a run.
struct RunPaths {
    std::filesystem::path dir;
    std::filesystem::path runJson() const { return dir / "run.json"; }
    std::filesystem::path config() const { return dir / "config.yaml"; }
    std::filesystem::path effective() const { return dir / "effective.yaml"; }
    /// What a watched program trains with, as one of its ranks wrote it (program_recipe.h).
    std::filesystem::path programRecipe() const { return dir / "recipe-nemo.yaml"; }
    std::filesystem::path store() const { return dir / "run.sqlite"; }
    std::filesystem::path control() const { return dir / "control"; }
    std::filesystem::path lock() const { return dir / "lock"; } ///< flock'ed by the one writer
    std::filesystem::path rank(int r) const { return dir / "ranks" / std::to_string(r); }
    std::filesystem::path board(int r) const { return rank(r) / "board"; }
    std::filesystem::path log(int r) const { return rank(r) / "log.txt"; }
    std::filesystem::path pythonStacks(int r) const { return rank(r) / "pystacks.txt"; }
    std::filesystem::path commandLog() const { return dir / "command.log"; } ///< what a watched command writes
    std::filesystem::path checkpoints() const { return dir / "checkpoints"; }
};

/// The contents of run.json.
struct RunInfo {
    std::string id;   ///< the folder's name
    std::string name; ///< from the config
    RunState state = RunState::Starting;
    int worldSize = 0; ///< 0: not known yet; only of a watched run
    std::int64_t totalSteps = 0;
    int supervisorPid = 0;
    std::uint64_t supervisorStartTicks = 0;
    std::string host, bootId; ///< monotonic times are comparable only within one boot of one host
    std::string namespaces;   ///< in which the process numbers are valid; empty: unknown (an older run)
    std::string folder;       ///< folderIdentity() of the run's own folder; empty: unknown (an older run)
    std::int64_t startNs = 0, startRealtimeNs = 0, endRealtimeNs = 0; ///< endRealtimeNs 0: not ended
    Message cause;                                                    ///< why the run ended, a sentence
    EndReason reason;                                                 ///< the same as values
    int exitCode = 0;
    std::vector<std::string> argv;
    std::string configPath;          ///< where config.yaml came from
    std::vector<std::string> faults; ///< asked for in the config; empty: none
    std::vector<int> rankPids;
    std::vector<std::uint64_t> rankStartTicks;
    std::vector<std::pair<std::string, std::string>> versions; ///< rankscope, libtorch, …
    std::vector<std::string> tags;
    std::vector<std::string> command; ///< program that was watched, with its arguments; empty: none
    bool attached = false;            ///< Its ranks were started by other programs, and continue without a supervisor.
    bool recipeLaunches = false;      ///< Our trainer can train what the recipe of a program says.
    std::string recipeFrom; ///< what trained with the recipe instead of our trainer, "NeMo 2.7.3"; empty: nothing
    std::vector<std::string> overrides; ///< of the recipe, as they were given
    int ranksAsked = 0;                 ///< by --ranks; 0: not given, or unknown
    std::string resumedFrom;            ///< id of the run whose checkpoint it resumed from; empty: none
    std::string relaunchedFrom;         ///< id of the run that it repeats, with or without changes; empty: none
    /// Seed of the ranks' random numbers if the recipe names none; a run that repeats this one uses it again. 0: the
    /// recipe names one, or it is unknown.
    std::uint64_t drawnSeed = 0;
    std::string importedFrom;                         ///< file or folder; empty: Rankscope made the run
    SupervisorLife supervisor = SupervisorLife::Gone; ///< of a live run; set by readRunInfo, never written
    /// Returns whether the ranks are a program of the user's, which Rankscope has not started from a recipe.
    bool watched() const { return attached || !command.empty(); }
    /// Returns whether config.yaml and effective.yaml say what was trained.
    bool hasRecipe() const { return !watched() || !recipeFrom.empty(); }
    /// Returns whether a run can be launched from them.
    bool canRelaunch() const { return !watched() || recipeLaunches; }
    /// Returns whether the loss is known to be in nats, as in runs of our trainer and of NeMo, whose losses are
    /// negative natural logarithms of probabilities. The loss of any other program can have any unit.
    bool lossIsInNats() const { return hasRecipe() && importedFrom.empty(); }
    bool copied = false; ///< This folder is a copy of the one in which a run had not ended; set by readRunInfo.
};

/// The name under which `versions` has the Git commit of a watched program's code.
inline constexpr std::string_view kCodeVersion = "code";
/// Returns the version of a part by its name in `versions`; empty: it was not recorded.
std::string versionOf(const RunInfo& info, std::string_view part);

/// Replaces run.json as a whole: a reader sees the old text or the new one.
Result<void> writeRunInfo(const RunPaths& run, const RunInfo& info);
std::string runInfoText(const RunInfo& info); ///< what writeRunInfo writes
/// Reads and checks the file. Whether the supervisor lives is not examined.
Result<RunInfo> recordedRunInfo(const RunPaths& run);

} // namespace rankscope::launch
