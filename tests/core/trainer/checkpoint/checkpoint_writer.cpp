// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/checkpoint/checkpoint_writer.h"

#include "core/trainer/checkpoint/checkpoint_folder.h"

#include <cstdio>

namespace rankscope::trainer::test {

int writeCheckpoints(const std::string& folder) {
    auto checkpoints = CheckpointFolder::open({folder, 2, "val_loss", CheckpointOptions::MonitorMode::Min, true});
    if (!checkpoints) {
        std::fprintf(stderr, "%s\n", checkpoints.error().message().c_str());
        return 1;
    }
    const auto before = CheckpointFolder::newest(folder);
    std::int64_t step = before && before->state ? before->state->progress.step : 0;
    for (;;) {
        TrainState state;
        state.progress.step = ++step;
        state.progress.metrics = {{"val_loss", static_cast<double>(step * 7919 % 13)}}; // alternately better and worse
        state.model = {{"w", torch::full({200'000}, static_cast<double>(step))}};
        state.optimizer = {{"w.m", torch::full({200'000}, static_cast<double>(-step))}};
        if (const auto saved = checkpoints->save(state); !saved) {
            std::fprintf(stderr, "%s\n", saved.error().message().c_str());
            return 1;
        }
        std::printf("%lld\n", static_cast<long long>(step)); // from here on the checkpoint must be readable
        std::fflush(stdout);
    }
}

} // namespace rankscope::trainer::test
