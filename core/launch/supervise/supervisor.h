// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/progress_reporter.h"

#include <functional>

namespace rankscope::launch {

/// Supervises a run from the creation of its folder until no rank is left, and returns the exit code: the run's, or
/// that of the command that the plan names. Blocks; call it from main. SIGTERM, SIGINT and SIGHUP stop the run (exit
/// code 4); a second one, or SIGQUIT, kills the ranks immediately. If other programs have started the ranks, these
/// signals end only the watching. `report` is first called when the ranks or the command are started. Returns an error
/// only before that; the run's folder has been removed in that case.
Result<int> supervise(const PreparedLaunch& plan, const std::function<void(const Progress&)>& report);

} // namespace rankscope::launch
