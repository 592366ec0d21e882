// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct Batch {
    torch::Tensor audio, audioLen, noisy, noisyLen; ///< as NestInput; CPU
    std::vector<std::int64_t> indices;              ///< rows of the joined manifest
    std::vector<std::int64_t> samples;              ///< per utterance
    std::string longestFile;
    std::int64_t loadNs = 0; ///< reading, decoding, resampling, mixing, and time spent in hooks
    int epoch = 0;
    int queueDepth = 0;   ///< batches that were ready, in order, when this one was requested
    int skippedFiles = 0; ///< broken files skipped since the last batch
};

/// The functions that a loader calls while it works. reading, queue, skipped and shorter are called one at a time,
/// under the loader's lock, by a worker or by the thread that calls next() or beginEpoch(): they must be short and must
/// not call the loader. The last three run on worker threads, in parallel. The loader's destructor waits a second for
/// its workers. A worker still asleep in a hook then calls no further hook when it wakes, but that hook must not use
/// anything that has been destroyed meanwhile.
struct LoaderHooks {
    /// The file that is being read for the batch that next() returns next. Empty if that batch is ready or not started.
    std::function<void(const std::string& path)> reading;
    /// How many batches are ready in order, and how many can be; not called with num_workers 0.
    std::function<void(int depth, int capacity)> queue;
    /// A broken speech or noise file, once per file.
    std::function<void(const std::string& message)> skipped;
    /// An utterance that is used although it is much shorter than the manifest says, once per file.
    std::function<void(const std::string& message)> shorter;
    /// A flaw of the data set that does not stop the run. Called by create() only, on rank 0.
    std::function<void(const std::string& message)> warning;
    /// Called before the batch `index` is made: faults sleep here, as if reading its first file were slow. The index
    /// counts over the whole run: epoch x batchesPerEpoch() + number in the epoch. (worker threads)
    std::function<void(std::int64_t index)> beforeBatch;
    /// Called before each file of the batch `index` is opened: the slow_reader fault. (worker threads)
    std::function<void(std::int64_t index)> beforeFile;
    /// Changes a finished batch: the faults long_batch and nan_input. (worker threads)
    std::function<void(std::int64_t index, Batch& batch)> afterBatch;
};

} // namespace rankscope::trainer
