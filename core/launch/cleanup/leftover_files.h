// SPDX-License-Identifier: Apache-2.0
// What processes that were killed have left in a run's folder, and in a folder of runs.
#pragma once

#include "core/launch/run/run_info.h"

#include <filesystem>

namespace rankscope::launch {

/// Removes files that were incomplete when their writer was killed. Call it while holding the run's lock and after the
/// last rank has ended. Files that cannot be removed are left; they do no harm.
void removePartialFiles(const RunPaths& run);

/// Removes folders of launches that were killed before they became runs. Such a folder belongs to the user, has a name
/// and contents as a launch makes them and nothing else, its lock is free, and it is at least a minute old. All other
/// hidden folders are left.
void removeAbandonedLaunches(const std::filesystem::path& runsDir);

} // namespace rankscope::launch
