// SPDX-License-Identifier: Apache-2.0
// Batches of noisy speech for one rank, decoded ahead by num_workers threads.
#pragma once

#include "core/base/error.h"
#include "core/config/recipe.h"

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct Batch {
    torch::Tensor audio, audioLen, noisy, noisyLen; ///< as NestInput; CPU
    std::vector<std::int64_t> indices;              ///< rows of the joined manifest
    std::vector<std::int64_t> samples;              ///< per utterance
    std::string longestFile;
    std::int64_t loadNs = 0; ///< reading, decoding, resampling, mixing
    int epoch = 0;
    int queueDepth = 0;   ///< batches that lay ready when this one was asked for
    int skippedFiles = 0; ///< broken files skipped since the last batch
};

struct LoaderHooks {
    /// A worker starts to read this file for the batch that is due next (the one that next() waits or will wait for).
    /// (worker threads)
    std::function<void(const std::string& path)> reading;
    std::function<void(int depth, int capacity)> queue; ///< (worker threads)
    /// A broken file, once per file. (worker threads)
    std::function<void(const std::string& message)> skipped;
    /// Before the batch `index` (counted over the whole run) is made: faults sleep here. (worker threads)
    std::function<void(std::int64_t index)> beforeBatch;
    /// Changes a finished batch: the long_batch fault. (worker threads)
    std::function<void(std::int64_t index, Batch& batch)> afterBatch;
};

class BatchLoader {
public:
    /// Reads the manifests; nothing is decoded yet. Errors name file and line. `rank`/`worldSize`: the shard that this
    /// loader serves. Every rank gets the same number of batches per epoch unless drop_last is off and the set does not
    /// divide.
    static Result<std::unique_ptr<BatchLoader>> create(const config::DatasetConfig& config, int rank, int worldSize,
                                                       std::uint64_t seed, LoaderHooks hooks);
    virtual ~BatchLoader() = default;

    virtual std::int64_t batchesPerEpoch() const = 0;
    virtual std::int64_t utterances() const = 0; ///< in the whole set, after the duration filter
    /// Begins an epoch: reshuffles with (seed, epoch) as torch's DistributedSampler does, drops what was prefetched.
    virtual void beginEpoch(int epoch) = 0;
    /// The next batch of the epoch; none at its end. Waits for the workers; with num_workers 0 decodes in the calling
    /// thread. An error when every file of a batch is broken, or more than half of the set.
    virtual Result<std::optional<Batch>> next() = 0;
    /// Wakes a waiting next(), which then returns none; ends the workers.
    virtual void cancel() = 0;
};

} // namespace rankscope::trainer
