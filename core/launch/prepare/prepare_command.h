// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/launch_spec.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::launch {

/// How a program of the user's is watched.
struct WatchOptions {
    std::vector<std::string> command; ///< the program and its arguments
    std::string name;                 ///< of the run; empty: derived from the command or the folder
    int ranks = 0;                    ///< 0: from the boards
    std::filesystem::path runsDir;    ///< in which the run's folder is made; empty: the default one
    std::vector<std::string> argv;    ///< of this process
    double stallSeconds = 0, joinSeconds = 0, stopGraceSeconds = 0; ///< 0: the default
    std::string onIncident;                                         ///< program that is run for incidents; empty: none
    bool forwards = true;                                           ///< PreparedLaunch::forwards
};

/// Returns the default settings of a watched run.
SupervisionSettings defaultWatchSettings();

/// Decides everything about the run of a command. Nothing is written or started.
Result<PreparedLaunch> prepareCommand(const WatchOptions& options);

/// Decides everything about watching the ranks that report to a folder, which becomes the run. If it has been watched
/// before and its ranks still run, the same run continues.
Result<PreparedLaunch> prepareAttach(const std::filesystem::path& folder, const WatchOptions& options);

/// Returns the information about a run that begins now in this process, with a new id.
RunInfo newRunInfo(const std::string& name, const std::vector<std::string>& argv);

} // namespace rankscope::launch
