// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_lock.h"

namespace rankscope::launch {

/// Makes the run's folder with everything that is known before the ranks start, and takes its lock. The folder is built
/// under a name with a leading dot and renamed when it is complete; on an error nothing is left.
Result<RunLock> createRunFolder(const PreparedLaunch& plan, const RunInfo& info);

/// Turns a folder to which ranks already report into a run: takes its lock and writes its run.json. On an error the
/// folder is unchanged.
Result<RunLock> adoptRunFolder(const PreparedLaunch& plan, const RunInfo& info);

/// Makes the run's store. A visible store is always complete: a kill while SQLite makes the file would leave an invalid
/// one.
Result<void> createStore(const RunPaths& run, const RunInfo& info);

} // namespace rankscope::launch
