// SPDX-License-Identifier: Apache-2.0
// Finds the run that a command refers to, and the folder of runs.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/recovery/current_run.h"

#include <filesystem>
#include <string>

namespace rankscope::ctl {

struct RunArgs {
    std::string runsDir, run;
    bool json = false, now = false, noWait = false, replay = false;
};

/// Returns the run that the arguments name.
Result<launch::RunPaths> runOf(const RunArgs& args);
/// The same, but first completes the work that a killed supervisor left undone; if that is not possible, says so on
/// stderr.
Result<launch::RunPaths> currentRunOf(const RunArgs& args);
/// Prints on stderr which part of the run could not be brought up to date.
void tellMissing(const launch::CurrentRun& run);
/// Returns the given folder, else the default one.
Result<std::filesystem::path> runsDirOf(const std::string& given);
/// Prints "rankscopectl: where: what" on stderr. Returns the exit code.
int reportError(const Error& error);

} // namespace rankscope::ctl
