// SPDX-License-Identifier: Apache-2.0
// Decides how a run ended whose ranks were started by a command. Pure functions.
#pragma once

#include "core/launch/process/run_outcome.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

/// How a command ended.
struct CommandEnd {
    ProcessEnd process;
    std::vector<std::string> lastLines; ///< of its output
    bool observed = true;               ///< false: RANKSCOPE_OBSERVER was "off"
    bool guardLost = false;             ///< It was ended because its guard was killed.
};

/// Returns the exit code that a shell would give: 128 and the signal's number for a signal.
int exitCodeOf(const ProcessEnd& end);

/// Returns the verdict. The exit code is the command's own: it decides whether the run failed, since a program may
/// start its ranks again. `ranks`: those that have appeared. `stopping` and `asked`: as for determineOutcome().
RunOutcome commandOutcome(const CommandEnd& command, std::span<const RankEnd> ranks, bool stopping,
                          const Message& asked = {});

} // namespace rankscope::launch
