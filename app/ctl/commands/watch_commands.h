// SPDX-License-Identifier: Apache-2.0
// The commands that watch a program of the user's: run, attach and observe-env.
#pragma once

#include "core/base/values/error.h"

#include <string>
#include <vector>

namespace rankscope::ctl {

struct WatchArgs {
    std::vector<std::string> command; ///< of run: what follows two dashes
    std::vector<std::string> others;  ///< before the dashes, and no option
    std::string folder;               ///< of attach and observe-env
    std::string name, runsDir, onIncident;
    int ranks = 0;
    double stallSeconds = 0, joinSeconds = 0, stopGraceSeconds = 0; ///< 0: the default
    bool detach = false, json = false;
    std::vector<std::string> argv;
};

/// Runs a command and watches its ranks. Returns the command's exit code.
Result<int> runCommandLine(const WatchArgs& args);
/// Watches ranks that other programs have started.
Result<int> attach(const WatchArgs& args);
/// Prints the variables that ranks need, as a shell reads them.
Result<int> observeEnvironment(const WatchArgs& args);

/// Takes what follows two dashes out of the arguments of `rankscopectl run`; nothing if it is another command.
std::vector<std::string> takeCommand(int& argc, char** argv);

} // namespace rankscope::ctl
