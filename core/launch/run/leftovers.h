// SPDX-License-Identifier: Apache-2.0
// What killed processes leave half-made, and nobody will finish.
#pragma once

#include "core/launch/run/run_folder.h"

namespace rankscope::launch {

/// Files that were being written aside when their writer was killed. To be called by who holds the run's lock, when no
/// rank is left. What cannot be removed stays: it is in nobody's way.
void removeRests(const RunPaths& run);

/// Folders of launches that were killed before they had become runs: named and filled as a launch does it and with
/// nothing else in them, the user's own, their lock is free, and they are a minute old. Any other hidden folder is
/// somebody's.
void removeAbandonedLaunches(const std::filesystem::path& runsDir);

} // namespace rankscope::launch
