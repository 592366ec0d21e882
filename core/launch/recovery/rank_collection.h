// SPDX-License-Identifier: Apache-2.0
// Ranks that torchrun, srun or mpirun started have no supervisor: `rankscope-trainer train --run FOLDER` leaves boards
// and journals in FOLDER of each host. From these a run is made as a supervisor would have left it.
#pragma once

#include "core/launch/run/run_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::launch {

struct CollectOptions {
    std::vector<std::filesystem::path> folders; ///< one a host, or one that all hosts share
    std::filesystem::path config;               ///< what was trained; empty: effective.yaml of one of the folders
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
};

struct Collected {
    RunPaths run;
    RunInfo info;
    std::vector<std::string> remarks; ///< what is missing or uncertain; notes in the store, too
};

/// Reads the folders and leaves them as they are. A rank in two of them, ranks that disagree on their number, or a
/// folder without any is an error; a rank that is in none is a remark. Times of other hosts are put on rank 0's clock.
Result<Collected> collect(const CollectOptions& options);

} // namespace rankscope::launch
