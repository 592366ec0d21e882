// SPDX-License-Identifier: Apache-2.0
// The files of a run's folder, and the contents of its run.json.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::launch {

enum class RunState : std::uint8_t {
    Starting,
    Running,
    Stopping,
    Finished,
    Failed,
    Stopped,  ///< by the user
    Lost,     ///< its supervisor is gone and nobody recorded an end: derived, never written while a supervisor lives
    Imported, ///< from what another program had written: how it ended is not known
};
std::string_view runStateName(RunState state);
bool isLive(RunState state); ///< starting, running, stopping

/// The process that supervises a run; supervisor_life.h decides.
enum class SupervisorLife : std::uint8_t {
    Gone,
    Alive,
    Stopped, ///< by SIGSTOP or Ctrl-Z: it does nothing until it gets SIGCONT
    Unknown, ///< neither the process nor its lock can be looked at from here
};
std::string_view supervisorLifeName(SupervisorLife life);

struct RunPaths {
    std::filesystem::path dir;
    std::filesystem::path runJson() const { return dir / "run.json"; }
    std::filesystem::path config() const { return dir / "config.yaml"; }
    std::filesystem::path effective() const { return dir / "effective.yaml"; }
    std::filesystem::path store() const { return dir / "run.sqlite"; }
    std::filesystem::path control() const { return dir / "control"; }
    std::filesystem::path lock() const { return dir / "lock"; } ///< flock'ed by the one writer
    std::filesystem::path rank(int r) const { return dir / "ranks" / std::to_string(r); }
    std::filesystem::path board(int r) const { return rank(r) / "board"; }
    std::filesystem::path log(int r) const { return rank(r) / "log.txt"; }
    std::filesystem::path checkpoints() const { return dir / "checkpoints"; }
};

/// run.json.
struct RunInfo {
    std::string id;   ///< the folder's name
    std::string name; ///< of the config
    RunState state = RunState::Starting;
    int worldSize = 0;
    std::int64_t totalSteps = 0;
    int supervisorPid = 0;
    std::uint64_t supervisorStartTicks = 0;
    std::string host, bootId; ///< monotonic times are comparable only within one boot of one host
    std::string namespaces;   ///< in which the process numbers count; empty: an older run, which did not say
    std::int64_t startNs = 0, startRealtimeNs = 0, endRealtimeNs = 0; ///< endRealtimeNs 0: not ended
    std::string cause;                                                ///< of the end, a sentence
    int exitCode = 0;
    std::vector<std::string> argv;
    std::string configPath;          ///< where config.yaml came from
    std::vector<std::string> faults; ///< asked for in the config; empty: none
    std::vector<int> rankPids;
    std::vector<std::uint64_t> rankStartTicks;
    std::vector<std::pair<std::string, std::string>> versions; ///< rankscope, libtorch, …
    std::vector<std::string> tags;
    std::vector<std::string> overrides; ///< of the recipe, as they were given
    int ranksAsked = 0;                 ///< --ranks; 0: as the recipe says, or not known
    std::string resumedFrom;            ///< id of the run whose checkpoint it began with; empty: none
    std::string relaunchedFrom;         ///< id of the run that it repeats, with or without changes; empty: none
    /// What the ranks' random numbers came from where the recipe names no seed; a run that repeats this one draws the
    /// same. 0: the recipe names one, or it is not known.
    std::uint64_t drawnSeed = 0;
    std::string importedFrom;                         ///< the file or folder; empty: a run of Rankscope's own
    SupervisorLife supervisor = SupervisorLife::Gone; ///< of a live run; found out by readRunInfo, never written
};

Result<void> writeRunInfo(const RunPaths& run, const RunInfo& info);
std::string runInfoText(const RunInfo& info); ///< what writeRunInfo writes
/// As it is in the file, checked. Whether the supervisor lives is not asked.
Result<RunInfo> recordedRunInfo(const RunPaths& run);

} // namespace rankscope::launch
