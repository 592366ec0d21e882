// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/progress_reporter.h"

#include <functional>

namespace rankscope::launch {

/// Makes the folder, starts the ranks, drains, diagnoses, stops; returns when no child is left. Blocks; call from main.
/// SIGTERM, SIGINT and SIGHUP stop the run (exit code 4); a second one, or SIGQUIT, at once. The first report comes
/// when all ranks are started; an Error comes only before that, and then nothing is left of the run.
Result<int> supervise(const LaunchPlan& plan, const std::function<void(const Progress&)>& report);

} // namespace rankscope::launch
