// SPDX-License-Identifier: Apache-2.0
// Commands that explain a run: waits, batch, scaling, stacks, and explain for logs of any run.
#pragma once

#include "app/ctl/commands/run_argument.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct WaitsArgs {
    RunArgs run;
    std::optional<std::int64_t> fromStep, toStep;
    std::optional<double> from, to; ///< seconds since the run's start
};
Result<int> waits(const WaitsArgs& args);

struct BatchArgs {
    RunArgs run;
    std::int64_t step = 0;
    int rank = 0;
};
Result<int> batch(const BatchArgs& args);

struct ScalingArgs {
    RunArgs run;
    std::string baseline; ///< empty: searched for
};
Result<int> scaling(const ScalingArgs& args);

struct StackArgs {
    std::string runsDir, run;
    int rank = -1; ///< -1: all
    int pid = 0;   ///< instead of a run
    bool json = false;
};
Result<int> stacks(const StackArgs& args);

struct ExplainArgs {
    std::vector<std::string> files; ///< logs, dumps, folders
    std::string recipe;             ///< empty: the recipes that we ship
    int ranks = 0;                  ///< 0: as the input says
    bool json = false;
};
Result<int> explain(const ExplainArgs& args);

} // namespace rankscope::ctl
