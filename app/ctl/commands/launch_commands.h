// SPDX-License-Identifier: Apache-2.0
// launch, and plan, which says what a launch would do.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct LaunchArgs {
    std::string config, resume, relaunch, checkpoint;
    std::vector<std::string> overrides, faults;
    int ranks = 0;
    std::string runsDir;
    bool detach = false, json = false;
    std::vector<std::string> argv;
    std::string machine;        ///< of plan: another one than this
    std::int64_t calibrate = 0; ///< of plan: steps to measure first; 0: none
};
Result<int> launch(const LaunchArgs& args);
/// Starts nothing.
Result<int> plan(const LaunchArgs& args);

} // namespace rankscope::ctl
