// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_lock.h"

namespace rankscope::launch {

/// Makes the run's folder with all that is known before the ranks start, and takes its lock. It is built under a name
/// with a dot in front and renamed when it is whole; on an error nothing is left.
Result<RunLock> createRunFolder(const LaunchPlan& plan, const RunInfo& info);

} // namespace rankscope::launch
