// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/finish.h"

#include "core/base/file.h"
#include "core/trainer/checkpoint/safetensors.h"
#include "core/trainer/checkpoint/state_hash.h"
#include "core/trainer/distributed/exchanges.h"

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
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r] != all[0]) {
            others.push_back(static_cast<int>(r));
        }
    }
    if (!others.empty()) {
        rank.log.error(fmt::format("the weights of rank {} differ from rank 0's: gradients were not averaged",
                                   fmt::join(others, ", ")));
    }
}

Result<void> save(const Rank& rank, const std::filesystem::path& runDir, std::int64_t steps) {
    const auto dir = runDir / "checkpoints";
    if (auto made = makePrivateDirs(dir); !made) {
        return made;
    }
    return writeSafetensors(dir / "last.safetensors", rank.model->stateDict(),
                            {{"format", "pt"},
                             {"name", rank.recipe.name},
                             {"step", std::to_string(steps)},
                             {"config_hash", fmt::format("{:016x}", rank.recipe.configHash)}});
}

} // namespace

Result<std::uint64_t> finish(Rank& rank, const std::filesystem::path& runDir, std::int64_t steps) {
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        compareWeights(rank);
        // running statistics are each rank's own without SyncBatchNorm; rank 0's are what is saved
        rank.parallel->broadcastBuffers();
    }
    rank.telemetry->phase(Phase::Checkpoint);
    const std::uint64_t hash = stateHash(rank.model->stateDict());
    Result<void> saved;
    if (rank.me.rank == 0 && !runDir.empty()) {
        saved = save(rank, runDir, steps);
    }
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        rank.group->barrier("end"); // also when saving failed: the others wait here
    }
    rank.telemetry->phase(Phase::None);
    if (!saved) {
        return tl::unexpected(saved.error());
    }
    return hash;
}

} // namespace rankscope::trainer
