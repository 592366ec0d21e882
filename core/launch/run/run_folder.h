// SPDX-License-Identifier: Apache-2.0
// A run on disk: RUNS/<time>-<name>-<4 hex>/. One folder: copy, archive or delete it whole. Whether its supervisor
// lives is decided here and nowhere else.
#pragma once

#include "core/launch/run/run_info.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {
class GuardedFolder;
}
namespace rankscope::config {
struct Recipe;
}

namespace rankscope::launch {

/// As recordedRunInfo(); a state that claims to be live while no supervisor works in this folder is returned as Lost.
/// An error names the supervisor where there is one all the same.
Result<RunInfo> readRunInfo(const RunPaths& run);
/// What tells a folder from its copies, as text: number and birth of its inode. A move within its file system keeps
/// both. Empty: it cannot be looked at.
std::string folderIdentity(const std::filesystem::path& folder);
/// The folder is not the one that the run was made in. False where that is not recorded.
bool isCopy(const RunPaths& run, const RunInfo& info);
/// The cause that is given for a copy of a run that had not ended.
extern const char* const kCopiedCause;
/// What the run trains with.
Result<config::Recipe> recordedRecipe(const RunPaths& run);
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

/// When the file or folder was written last, on the wall clock.
std::int64_t writtenRealtimeNs(const std::filesystem::path& path, std::error_code& ec);
/// Returns a new id: <time>-<name>-<4 hex>.
std::string newRunId(const std::string& name, std::int64_t realtimeNs);
/// Removes the folder of a run that never began.
void removeRunFolder(const RunPaths& run);

/// The process numbers and start times in run.json mean here what they mean to the run: same boot, same namespaces.
bool seesProcesses(const RunInfo& info);

/// What is to be said of a live run beside its state; empty when its supervisor is at work.
std::string supervisorRemark(const RunInfo& info);

/// Why a run that is live cannot be reached from here: "runs on host node7".
std::string whereItRuns(const RunInfo& info);

/// Removes files that were incomplete when their writer was killed. Call it while holding the run's lock and after the
/// last rank has ended. Files that cannot be removed are left; they do no harm.
void removeRests(const RunPaths& run);

/// Removes folders of launches that were killed before they became runs. Such a folder belongs to the user, has a name
/// and contents as a launch makes them and nothing else, its lock is free, and it is at least a minute old. All other
/// hidden folders are left.
void removeAbandonedLaunches(const std::filesystem::path& runsDir);

} // namespace rankscope::launch
