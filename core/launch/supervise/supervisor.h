// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/progress_reporter.h"

#include <functional>

namespace rankscope::launch {

/// Runs a launch from the creation of its folder until no rank is left, and returns the exit code. Blocks; call it from
/// main. SIGTERM, SIGINT and SIGHUP stop the run (exit code 4); a second one, or SIGQUIT, kills the ranks immediately.
/// `report` is first called when all ranks are started. Returns an error only before that; the run's folder has been
/// removed in that case.
Result<int> supervise(const PreparedLaunch& plan, const std::function<void(const Progress&)>& report);

} // namespace rankscope::launch
