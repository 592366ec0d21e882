// SPDX-License-Identifier: Apache-2.0
// A run on disk: RUNS/<time>-<name>-<4 hex>/. One folder: copy, archive or delete it whole.
#pragma once

#include "core/launch/run/run_info.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {
class GuardedFolder;
}

namespace rankscope::launch {

/// As recordedRunInfo(); a state that claims to be live while the supervisor is gone is returned as Lost.
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

/// Returns a new id: <time>-<name>-<4 hex>.
std::string newRunId(const std::string& name, std::int64_t realtimeNs);
/// Removes the folder of a run that never began.
void removeRunFolder(const RunPaths& run);

} // namespace rankscope::launch
