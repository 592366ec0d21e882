// SPDX-License-Identifier: Apache-2.0
// The commands launch and plan; plan shows what a launch would do.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct LaunchArgs {
    std::string config, resume, relaunch, checkpoint;
    std::string trainer = "rankscope", python = "python3"; ///< for launch: "rankscope", or "nemo" in that Python
    std::vector<std::string> overrides, faults;
    int ranks = 0;
    std::string runsDir;
    bool detach = false, json = false;
    std::vector<std::string> argv;
    std::string machine;        ///< for plan: a machine other than this one
    std::int64_t calibrate = 0; ///< for plan: steps to measure first; 0: none
};
Result<int> launch(const LaunchArgs& args);
/// Prints the plan of a launch; starts nothing.
Result<int> plan(const LaunchArgs& args);

} // namespace rankscope::ctl
