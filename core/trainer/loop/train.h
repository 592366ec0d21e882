// SPDX-License-Identifier: Apache-2.0
// Runs one rank, from the configuration file to the exit code.
#pragma once

#include <filesystem>

namespace rankscope::trainer {

inline constexpr int kTrainDone = 0, kTrainBadInput = 2, kTrainFailed = 3, kTrainOutOfMemory = 4; // exit codes

struct TrainArguments {
    std::filesystem::path config; ///< effective.yaml, or any resolved YAML
    std::filesystem::path runDir; ///< for board, journal and checkpoints; empty: they are not written
    std::filesystem::path resume; ///< a checkpoint, or a folder of them, to resume from; empty: as the recipe says
};

/// Returns 0: finished or stopped; 2: bad input; 4: an allocation failed; 3: another failure. The reason is written in
/// one line to stderr, to the journal's EndRecord and to the board.
int train(const TrainArguments& arguments);

} // namespace rankscope::trainer
