// SPDX-License-Identifier: Apache-2.0
// The commands that start a planned run on the machine it is planned for, ready to be copied.
#pragma once

#include "core/plan/result/plan.h"

namespace rankscope::plan {

struct CommandOptions {
    std::string config; ///< as the user named it
    std::vector<std::string> overrides;
    int ranks = 0; ///< value of --ranks; 0: not given
};

/// Returns commands for rankscopectl if one node is enough, and for torchrun and sbatch for any number of nodes
/// (docs/several-nodes.md).
std::vector<StartLine> launchCommands(const Plan& plan, const CommandOptions& words);

/// Returns a word quoted for a shell.
std::string shellWord(const std::string& word);

} // namespace rankscope::plan
