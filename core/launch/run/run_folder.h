// SPDX-License-Identifier: Apache-2.0
// A run on disk: RUNS/<time>-<name>-<4 hex>/. It is one folder, to be copied, archived or deleted as a whole. Only this
// file decides whether a run's supervisor is alive.
#pragma once

#include "core/launch/run/run_info.h"

#include <cstddef>
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

/// Reads run.json as recordedRunInfo() does, but returns a live state as Lost if no supervisor works in this folder. An
/// error still names the supervisor if there is one.
Result<RunInfo> readRunInfo(const RunPaths& run);
/// Returns text that distinguishes a folder from its copies: number and birth time of its inode. Moving the folder
/// within its file system keeps both. Empty if the folder cannot be examined.
std::string folderIdentity(const std::filesystem::path& folder);
/// Returns whether the folder is not the one that the run was made in. False if that is not recorded.
bool isCopy(const RunPaths& run, const RunInfo& info);
/// The cause given for a copy of a run that had not ended.
inline constexpr char kCopiedCause[] = "this folder is a copy of a run that had not ended when it was copied";
/// Returns the recipe that the run trains with.
Result<config::Recipe> recordedRecipe(const RunPaths& run);
/// Returns how long ago the run began, in ns. Never negative, even if the wall clock was set back.
std::int64_t ageNs(const RunInfo& info);

/// Returns the folders RUN/ranks/<r> of all ranks that are there. Links do not count.
std::vector<GuardedFolder> rankFolders(const RunPaths& run);

/// A run in the list of a folder of runs.
struct RunEntry {
    RunPaths paths;
    RunInfo info;
    /// Not empty: run.json is damaged. The list shows it and does not fail.
    std::string problem;
};
/// Returns whether the run left a checkpoint from which `launch --resume` could continue.
bool hasCheckpoint(const RunPaths& run);
/// Returns whether a file of this name in checkpoints/ is a checkpoint.
bool isCheckpointName(const std::string& name);
/// Lists all runs in a folder, newest first; runs of this boot are compared by the monotonic clock. A missing folder
/// gives an empty list.
Result<std::vector<RunEntry>> listRuns(const std::filesystem::path& runsDir);
/// Returns the number of folders in a folder of runs that this user may not look into, such as those of other users.
std::size_t closedFolders(const std::filesystem::path& runsDir);
/// Finds a run by path, id, or unique part of its id; "last" is the newest.
Result<RunPaths> findRun(const std::filesystem::path& runsDir, const std::string& what);

/// Returns when the file or folder was last written: ns since 1970, on the wall clock of its file
/// system.
std::int64_t writtenRealtimeNs(const std::filesystem::path& path, std::error_code& ec);
/// Returns a new id: <time>-<name>-<4 hex>.
std::string newRunId(const std::string& name, std::int64_t realtimeNs);
/// Removes the folder of a run that never began.
void removeRunFolder(const RunPaths& run);

/// Returns whether the process numbers and start times in run.json are valid here: same boot, same namespaces.
bool seesProcesses(const RunInfo& info);

/// Returns what to say about a live run in addition to its state; empty if its supervisor is running.
Message supervisorNotice(const RunInfo& info);

/// Returns why a live run cannot be reached from here: "runs on host node7".
Message whereItRuns(const RunInfo& info);

} // namespace rankscope::launch
