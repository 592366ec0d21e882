// SPDX-License-Identifier: Apache-2.0
// In what order ranks see the data, as Lightning has it (trainer/connectors/data_connector.py).
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>

namespace rankscope::plan {

/// train_ds as a rank loads it. Where Lightning puts its DistributedSampler in (several ranks, or a DDP strategy, and
/// use_distributed_sampler), that one shuffles whatever train_ds.shuffle says. Tar files are a stream without a
/// sampler.
config::DatasetConfig trainingData(const config::Recipe& recipe, int worldSize);

/// What a rank's order and noise are drawn with: rankscope.seed, or DistributedSampler's own 0. Without that sampler
/// and without a seed each rank draws an order of its own.
std::uint64_t orderSeed(const config::TrainerConfig& trainer, int rank);

} // namespace rankscope::plan
