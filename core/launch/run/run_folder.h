// SPDX-License-Identifier: Apache-2.0
// A run on disk: RUNS/<time>-<name>-<4 hex>/. One folder: copy, archive or delete it whole.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {
class GuardedFolder;
}

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
/// The same; a state that claims to be live while the supervisor is gone comes back as Lost.
Result<RunInfo> readRunInfo(const RunPaths& run);
/// How long ago the run began. Never negative, also when the wall clock was set back.
std::int64_t ageNs(const RunInfo& info);

/// The folders RUN/ranks/<r>, of whatever ranks there are. A link is none.
std::vector<GuardedFolder> rankFolders(const RunPaths& run);

struct RunEntry {
    RunPaths paths;
    RunInfo info;
    std::string problem; ///< not empty: run.json is damaged; shown, never fatal to the list
};
/// Whether the run left a checkpoint that `launch --resume` could go on from.
bool hasCheckpoint(const RunPaths& run);
bool isCheckpointName(const std::string& name);
/// All runs in a folder, newest first: of this boot by the clock that nobody sets. A missing folder is an empty list.
Result<std::vector<RunEntry>> listRuns(const std::filesystem::path& runsDir);
/// A run by path, id, or unique part of its id; "last" is the newest.
Result<RunPaths> findRun(const std::filesystem::path& runsDir, const std::string& what);

} // namespace rankscope::launch
