// SPDX-License-Identifier: Apache-2.0
// The commands that start a planned run on the machine that it is planned for, to be copied.
#pragma once

#include "core/plan/result/plan.h"

namespace rankscope::plan {

struct StartWords {
    std::string config; ///< as the user named it
    std::vector<std::string> overrides;
    int ranks = 0; ///< of --ranks; 0: not given
};

/// rankscopectl where one node is enough, torchrun and sbatch for any number of them (docs/several-nodes.md).
std::vector<StartLine> startLines(const Plan& plan, const StartWords& words);

/// A word as a shell takes it.
std::string shellWord(const std::string& word);

} // namespace rankscope::plan
