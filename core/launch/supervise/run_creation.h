// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/run/run_lock.h"
#include "core/launch/supervise/supervisor.h"

namespace rankscope::launch {

/// Makes the run's folder with all that is known before the ranks start, and takes its lock. It is built under a name
/// with a dot in front and renamed when it is whole; on an error nothing is left.
Result<RunLock> createRunFolder(const LaunchPlan& plan, const RunInfo& info);

/// <time>-<name>-<4 hex>
std::string newRunId(const std::string& name, std::int64_t realtimeNs);

/// Takes a run that never began away again.
void removeRunFolder(const RunPaths& run);

} // namespace rankscope::launch
