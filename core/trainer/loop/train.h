// SPDX-License-Identifier: Apache-2.0
// One rank's run, from the configuration file to the exit code.
#pragma once

#include <filesystem>

namespace rankscope::trainer {

inline constexpr int kTrainDone = 0, kTrainBadInput = 2, kTrainFailed = 3, kTrainOutOfMemory = 4; // exit codes

struct TrainArguments {
    std::filesystem::path config; ///< effective.yaml, or any resolved YAML
    std::filesystem::path runDir; ///< where board, journal and checkpoints go; empty: nowhere
    std::filesystem::path resume; ///< a checkpoint, or a folder of them, to go on from; empty: as the recipe says
};

/// 0: finished or stopped; 2: bad input; 4: an allocation failed; 3: otherwise. What went wrong stands in one line on
/// stderr, in the journal's EndRecord and on the board.
int train(const TrainArguments& arguments);

} // namespace rankscope::trainer
