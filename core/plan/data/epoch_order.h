// SPDX-License-Identifier: Apache-2.0
// Which utterances a rank sees in an epoch, and in what order, as Lightning has it
// (trainer/connectors/data_connector.py): torch.utils.data.DistributedSampler, and DataLoader's batches.
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <vector>

namespace rankscope::plan {

struct ShardOptions {
    int rank = 0, worldSize = 1;
    bool shuffle = true;
    bool dropLast = false; ///< true: cut to a multiple of worldSize; false: repeat from the beginning up to one
    std::uint64_t seed = 0;
};

/// The rank's rows of 0 ... size-1 for `epoch`, number for number what DistributedSampler gives: a permutation from a
/// generator seeded with seed + epoch, made a multiple of worldSize, every worldSize-th from `rank` on. All ranks get
/// equally many.
std::vector<std::int64_t> shardOrder(std::int64_t size, const ShardOptions& options, int epoch);

/// How many that are: the same on every rank and in every epoch.
std::int64_t shardSize(std::int64_t size, int worldSize, bool dropLast);

/// Batches that `samples` make.
std::int64_t batchCount(std::int64_t samples, int batchSize, bool dropLast);

/// train_ds as a rank loads it. Where Lightning puts its DistributedSampler in (several ranks, or a DDP strategy, and
/// use_distributed_sampler), that one shuffles whatever train_ds.shuffle says. Tar files are a stream without a
/// sampler.
config::DatasetConfig trainingData(const config::Recipe& recipe, int worldSize);

/// What a rank's order and noise are drawn with: rankscope.seed, or DistributedSampler's own 0. Without that sampler
/// and without a seed each rank draws an order of its own.
std::uint64_t orderSeed(const config::TrainerConfig& trainer, int rank);

} // namespace rankscope::plan
