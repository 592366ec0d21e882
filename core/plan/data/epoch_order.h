// SPDX-License-Identifier: Apache-2.0
// Computes which utterances a rank sees in an epoch, and in which order, as Lightning does
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

/// Returns the rank's rows of 0 ... size-1 for `epoch`, exactly those of DistributedSampler: a permutation from a
/// generator seeded with seed + epoch, cut or padded to a multiple of worldSize, of which the rank takes every
/// worldSize-th from `rank` on. All ranks get the same number.
std::vector<std::int64_t> shardOrder(std::int64_t size, const ShardOptions& options, int epoch);

/// Returns the number of these rows: the same on every rank and in every epoch.
std::int64_t shardSize(std::int64_t size, int worldSize, bool dropLast);

/// Returns the number of batches that `samples` make.
std::int64_t batchCount(std::int64_t samples, int batchSize, bool dropLast);

/// Returns train_ds as a rank loads it. If Lightning inserts its DistributedSampler (several ranks, or a DDP strategy,
/// and use_distributed_sampler), the sampler shuffles whatever train_ds.shuffle says. Tar files are a stream without a
/// sampler.
config::DatasetConfig trainingData(const config::Recipe& recipe, int worldSize);

/// Returns the seed of a rank's order and noise: rankscope.seed, or DistributedSampler's own 0. Without that sampler
/// and without a seed each rank draws its own order.
std::uint64_t orderSeed(const config::TrainerConfig& trainer, int rank);

} // namespace rankscope::plan
