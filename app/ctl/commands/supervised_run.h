// SPDX-License-Identifier: Apache-2.0
// What launch, run and attach have in common: they supervise a run, here or in the background.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/launch_spec.h"

namespace rankscope::ctl {

/// Supervises the run in its own process, and returns when it has begun. Prints the path of its folder, or
/// {"id": …, "path": …}.
Result<int> superviseDetached(const launch::PreparedLaunch& plan, bool asJson);

/// Prints how a run has ended: as `show` does, as text or JSON.
void printEnd(const launch::RunPaths& run, bool asJson);

/// For the window, which shows an error in its own language: also writes it as one line of JSON to standard error.
Result<int> explained(Result<int> result, bool asJson);

} // namespace rankscope::ctl
