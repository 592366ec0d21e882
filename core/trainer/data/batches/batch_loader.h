// SPDX-License-Identifier: Apache-2.0
// Provides batches of noisy speech for one rank, decoded ahead by num_workers threads.
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
    /// loader serves, cut as Lightning's use_distributed_sampler cuts it: DistributedSampler(shuffle, drop_last=False),
    /// so every rank gets the same number of utterances and batches per epoch; the first ones of the order come twice
    /// if the set does not divide evenly. drop_last applies to the rank's last batch. Without use_distributed_sampler
    /// each rank sees the whole set: pass rank 0 of 1. With buckets this applies to each of them (plan/batch_sampler.h
    /// says how batches are cut from them). Tarred sets are shared by their shards: pass the true rank.
    static Result<std::unique_ptr<BatchLoader>> create(const config::DatasetConfig& config, int rank, int worldSize,
                                                       std::uint64_t seed, LoaderHooks hooks);
    virtual ~BatchLoader() = default;

    virtual std::int64_t batchesPerEpoch() const = 0;
    /// Returns the batches per epoch as NeMo counts them. For tar files it counts only by the manifest, before reading
    /// them: an epoch ends after that many batches, or earlier if the files give fewer. `dropLast`: an incomplete last
    /// batch is not counted, as when NeMo lays out a schedule.
    virtual std::int64_t countedBatches(bool dropLast) const = 0;
    virtual std::int64_t utterances() const = 0;   ///< in the whole set, after the duration filter
    virtual std::uint64_t contentHash() const = 0; ///< over names without folders, offsets, durations, in order
    /// Returns this rank's share of an epoch, for the check of the shares. Reads no audio.
    virtual EpochShard share(int epoch) const = 0;
    /// Begins an epoch: reshuffles with (seed, epoch) as torch's DistributedSampler does, and drops prefetched batches.
    /// `firstBatch`: how many of its batches were seen before an interruption. They are neither read nor decoded; the
    /// following ones are bit for bit those of the uninterrupted epoch. If it is batchesPerEpoch() or more, the epoch
    /// ends immediately.
    virtual void beginEpoch(int epoch, std::int64_t firstBatch = 0) = 0;
    /// Returns the next batch of the epoch; none at its end. Waits for the workers; with num_workers 0 decodes in the
    /// calling thread. A broken file is left out; a batch without any readable file takes one of the utterances that
    /// follow. Returns an error if none of these can be read either, or if more than rankscope.max_broken_share of the
    /// rank's share is broken.
    virtual Result<std::optional<Batch>> next() = 0;
    /// Wakes a waiting next(), which then returns none, and ends the workers.
    virtual void cancel() = 0;
};

} // namespace rankscope::trainer
