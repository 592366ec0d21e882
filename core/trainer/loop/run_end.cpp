// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/run_end.h"

#include "core/trainer/checkpoint/state_hash.h"
#include "core/trainer/distributed/parallel/model_collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rankscope::trainer {
namespace {

using telemetry::Phase;

/// Parameters are equal in a sound run: gradients were averaged. That is checked here, not assumed.
void compareWeights(Rank& rank) {
    const auto mine = static_cast<std::int64_t>(stateHash(rank.model->trainable()));
    const auto all = gatherNumbers(*rank.group, mine, "check:weights");
    std::vector<int> others;
    for (std::size_t r = 0; r < all.size(); ++r)
        if (all[r] != all[0])
            others.push_back(static_cast<int>(r));
    if (!others.empty()) {
        rank.log.error(fmt::format("the weights of rank {} differ from rank 0's: gradients were not averaged",
                                   fmt::join(others, ", ")));
    }
}

} // namespace

Result<std::uint64_t> finish(Rank& rank, Checkpointing& checkpointing, bool stopped) {
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        compareWeights(rank);
    }
    const Result<void> saved = checkpointing.finish(stopped); // before buffers change: a run may go on from it
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        // running statistics are each rank's own without SyncBatchNorm; rank 0's are what was saved
        rank.parallel->broadcastBuffers();
    }
    const std::uint64_t hash = stateHash(rank.model->stateDict());
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        rank.group->barrier("end"); // also when saving failed: the others wait here
    }
    rank.telemetry->phase(Phase::None);
    if (!saved)
        return tl::unexpected(saved.error());
    return hash;
}

} // namespace rankscope::trainer
