// SPDX-License-Identifier: Apache-2.0
// Commands about existing runs: list, show, stop, diagnose, replay, watch, collect.
#pragma once

#include "app/ctl/commands/run_argument.h"

#include <string>
#include <vector>

namespace rankscope::ctl {

struct CollectArgs {
    std::vector<std::string> folders;
    std::string config, runsDir;
    bool json = false;
    std::vector<std::string> argv;
};

Result<int> list(const RunArgs& args);
Result<int> show(const RunArgs& args);
Result<int> stop(const RunArgs& args);
Result<int> diagnose(const RunArgs& args);
/// Diagnoses the recorded run again. Returns kCheckFailed if the incidents differ from the stored ones.
Result<int> replay(const RunArgs& args);
/// Follows a run until it ends; returns its exit code.
Result<int> watch(const RunArgs& args);
Result<int> collect(const CollectArgs& args);

} // namespace rankscope::ctl
