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
    std::int64_t loadNs = 0; ///< reading, decoding, resampling, mixing, and what the hooks took
    int epoch = 0;
    int queueDepth = 0;   ///< batches that lay ready, in order, when this one was asked for
    int skippedFiles = 0; ///< broken files skipped since the last batch
};

/// reading, queue, skipped and shorter are called one at a time, under the loader's lock, by a worker or by the thread
/// that calls next() or beginEpoch(): they must be short and not call the loader. The last three run on worker threads,
/// in parallel. A worker that sleeps in a hook for more than a second after the loader's destruction is left behind:
/// after it woke, it calls no further hook, but the hook it is in must not touch what died meanwhile.
struct LoaderHooks {
    /// The file that the batch which is due next (the one that next() waits or will wait for) is being read from.
    /// Empty: that batch is ready, or not begun.
    std::function<void(const std::string& path)> reading;
    /// Batches that lie ready in order, of how many at most; not called with num_workers 0.
    std::function<void(int depth, int capacity)> queue;
    /// A broken file, once per file; noise clips too.
    std::function<void(const std::string& message)> skipped;
    /// An utterance that is used though it is much shorter than the manifest says, once per file.
    std::function<void(const std::string& message)> shorter;
    /// What is not as it should be with the set and does not stop a run; by create() only, on rank 0.
    std::function<void(const std::string& message)> warning;
    /// Before the batch `index` is made: faults sleep here, and stand for a slow read of its first file. Counted over
    /// the whole run: epoch x batchesPerEpoch() + number in the epoch. (worker threads)
    std::function<void(std::int64_t index)> beforeBatch;
    /// Before each file of the batch `index` is opened: the slow_reader fault. (worker threads)
    std::function<void(std::int64_t index)> beforeFile;
    /// Changes a finished batch: the faults long_batch and nan_input. (worker threads)
    std::function<void(std::int64_t index, Batch& batch)> afterBatch;
};

} // namespace rankscope::trainer
