// SPDX-License-Identifier: Apache-2.0
// Makes the batches of an epoch in advance on worker threads and delivers them in order.
#pragma once

#include "core/trainer/data/batches/batch_maker.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace rankscope::trainer {

/// The batches of one epoch: which utterances are in which.
struct EpochPlan {
    int epoch = 0;
    std::shared_ptr<const UtteranceSet> utterances;         ///< in the rank's order
    std::shared_ptr<const std::vector<std::int64_t>> begin; ///< where each batch begins in `utterances`, then the end
    std::int64_t batches = 0;
    std::int64_t firstIndex = 0; ///< number of its first batch, counted over the whole run
    std::int64_t firstBatch = 0; ///< the batches before it are not made

    BatchPlan batch(std::int64_t number) const;
};

/// The next batch in order, or the reason why there is none.
struct Delivery {
    MadeBatch made;
    int queueDepth = 0; ///< batches that were ready, in order, when it was requested
};

class Prefetcher {
public:
    /// `workers` 0: next() makes the batch itself. At most workers x prefetchFactor batches are being made or waiting
    /// at a time. Throws std::system_error if the system cannot start more threads.
    Prefetcher(std::shared_ptr<const BatchMaker> maker, LoaderHooks hooks, int workers, int prefetchFactor);
    /// Waits a second for the workers; one that sleeps in a hook or hangs in a read is left running, touches only the
    /// state it shares, and ends when it wakes.
    ~Prefetcher();
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    /// Drops finished batches and starts work on the epoch immediately.
    void begin(EpochPlan plan);
    /// Returns the next batch in order; none at the epoch's end or after cancel().
    Result<std::optional<Delivery>> next();
    void cancel();
    bool cancelled() const;

private:
    void start(int number);

    struct Shared;
    std::shared_ptr<Shared> m_shared;
    struct Worker;
    std::vector<Worker> m_workers;
};

} // namespace rankscope::trainer
