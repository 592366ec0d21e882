// SPDX-License-Identifier: Apache-2.0
// The run that a command is about, and the folder of runs.
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

/// The run that the arguments name.
Result<launch::RunPaths> runOf(const RunArgs& args);
/// The same; what a supervisor that was killed left undone is done first, or said on stderr where it cannot be.
Result<launch::RunPaths> currentRunOf(const RunArgs& args);
/// On stderr: what the run lacks that could not be brought up to date.
void tellMissing(const launch::CurrentRun& run);
/// The folder that was given, else the default one.
Result<std::filesystem::path> runsDirOf(const std::string& given);
/// "rankscopectl: where: what" on stderr; the exit code.
int complain(const Error& error);

} // namespace rankscope::ctl
