// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/commands/run_argument.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct ExportArgs {
    RunArgs run;
    std::string format, output; ///< either these two or csvDir
    std::string csvDir;
    std::vector<std::string> series;
    std::vector<int> ranks;
    std::optional<std::int64_t> fromStep, toStep;
};
Result<int> exportRun(const ExportArgs& args);

struct ImportArgs {
    std::vector<std::string> paths;
    std::string config, name, runsDir;
    bool json = false;
    std::vector<std::string> argv;
};
Result<int> import(const ImportArgs& args);

} // namespace rankscope::ctl
