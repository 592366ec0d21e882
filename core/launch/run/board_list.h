// SPDX-License-Identifier: Apache-2.0
// The ranks of a run that its supervisor did not start, as their boards name them.
#pragma once

#include "core/launch/run/run_info.h"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::launch {

/// What a board says about its rank and the rank's process.
struct ReportingRank {
    int rank = 0, worldSize = 0;
    pid_t pid = 0;
    std::uint64_t startTicks = 0;
    std::string device;
};

/// Returns the ranks that have a board in the run's folder, by rank. Boards that are not of their folder's rank, or
/// that name an impossible number of ranks, are left out.
std::vector<ReportingRank> reportingRanks(const RunPaths& run);

/// Returns the number of ranks that the boards name; the first one counts. 0: there is no board.
int worldSizeOf(const std::vector<ReportingRank>& ranks);

/// Returns whether the process of one of these ranks runs, as far as that can be seen from here.
bool anyLives(const std::vector<ReportingRank>& ranks);

} // namespace rankscope::launch
