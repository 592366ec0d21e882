// SPDX-License-Identifier: Apache-2.0
// Batches of noisy speech for one rank, decoded ahead by num_workers threads.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/checks/data_shares.h"
#include "core/trainer/data/batches/batch.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace rankscope::trainer {

class BatchLoader {
public:
    /// Reads the manifests; nothing is decoded yet. Errors name file and line. `rank`/`worldSize`: the shard that this
    /// loader serves, as Lightning's use_distributed_sampler cuts it: DistributedSampler(shuffle, drop_last=False), so
    /// every rank gets the same number of utterances and batches per epoch, the first ones of the order twice where the
    /// set does not divide. drop_last acts on the rank's last batch. Without use_distributed_sampler each rank sees the
    /// whole set: pass rank 0 of 1. With buckets this holds for each of them (plan/batch_sampler.h says how batches are
    /// cut from them). Tarred sets are shared by their shards: pass the true rank.
    static Result<std::unique_ptr<BatchLoader>> create(const config::DatasetConfig& config, int rank, int worldSize,
                                                       std::uint64_t seed, LoaderHooks hooks);
    virtual ~BatchLoader() = default;

    virtual std::int64_t batchesPerEpoch() const = 0;
    /// As NeMo counts them. Of tar files it does so by the manifest alone, before it reads them: an epoch ends after so
    /// many batches, or with the files when those give fewer. `dropLast`: an incomplete last batch is not counted, as
    /// NeMo lays out a schedule.
    virtual std::int64_t countedBatches(bool dropLast) const = 0;
    virtual std::int64_t utterances() const = 0;   ///< in the whole set, after the duration filter
    virtual std::uint64_t contentHash() const = 0; ///< of the set: names without folders, offsets, durations, in order
    /// What this rank gets in an epoch, for the check of the shares. Reads no audio.
    virtual EpochShare share(int epoch) const = 0;
    /// Begins an epoch: reshuffles with (seed, epoch) as torch's DistributedSampler does, drops what was prefetched.
    /// `firstBatch`: how many of its batches were seen before an interruption. They are neither read nor decoded; those
    /// that follow are bit for bit what the unbroken epoch gives. From batchesPerEpoch() on the epoch is over at once.
    virtual void beginEpoch(int epoch, std::int64_t firstBatch = 0) = 0;
    /// The next batch of the epoch; none at its end. Waits for the workers; with num_workers 0 decodes in the calling
    /// thread. A broken file is left out; a batch that has nothing else takes one of the utterances that
    /// follow. An error when none of these can be read, or more than rankscope.max_broken_share of the rank's share.
    virtual Result<std::optional<Batch>> next() = 0;
    /// Wakes a waiting next(), which then returns none; ends the workers.
    virtual void cancel() = 0;
};

} // namespace rankscope::trainer
