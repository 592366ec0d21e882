// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/epoch_order.h"

#include "core/plan/data/random.h"

namespace rankscope::plan {

static constexpr std::uint64_t kOwnOrderTag = 0x6f776e6f72646572; // keeps these seeds apart from those of a user

config::DatasetConfig trainingData(const config::Recipe& recipe, int worldSize) {
    config::DatasetConfig data = recipe.train;
    const bool distributed = worldSize > 1 || recipe.trainer.strategy != "auto";
    data.shuffle |= distributed && recipe.trainer.useDistributedSampler && !data.tarred.enabled;
    return data;
}

std::uint64_t orderSeed(const config::TrainerConfig& trainer, int rank) {
    if (trainer.seed)
        return static_cast<std::uint64_t>(*trainer.seed);
    return trainer.useDistributedSampler || rank == 0 ? 0 : hashOf({kOwnOrderTag, static_cast<std::uint64_t>(rank)});
}

} // namespace rankscope::plan
