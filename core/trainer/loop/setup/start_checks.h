// SPDX-License-Identifier: Apache-2.0
// The checks before and at start (docs/diagnosis.md): what the ranks tell each other, and a run that would hang ends
// here, with a sentence, instead.
#pragma once

#include "core/trainer/loop/setup/rank.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace rankscope::trainer {

/// Appends a record of each, and tells those that failed in the log.
void note(Rank& rank, const std::vector<CheckResult>& results);

/// Settings, loader, data, model and devices as they act on each rank, over the store where the ranks met and before
/// any collective: rank 0 compares, all learn what it found. Waits for others at most `timeout`. The error is the same
/// on every rank.
Result<void> checkSettings(Rank& rank, c10d::Store& store, std::chrono::milliseconds timeout);
/// What a single rank can check before it trains.
void checkAlone(Rank& rank);

/// Collectives, tags "check:shards" and "check:initial_weights"; throw what collectives throw. Errors are the same on
/// every rank.
Result<void> checkShares(Rank& rank);
Result<void> checkInitialWeights(Rank& rank);

/// The first batch of this run.
class FirstBatchCheck {
public:
    explicit FirstBatchCheck(Rank& rank) : m_rank(rank) {}

    /// Inside forward, when the encoder's input stands: [batch, features, frames], and the frames of each row. Tells
    /// the others, without waiting for them.
    void see(const Batch& batch, const torch::Tensor& mel, const std::vector<std::int64_t>& lengths);
    /// After the step: rank 0 compares what all have told.
    void conclude();

private:
    Rank& m_rank;
    std::vector<CheckResult> m_own;
};

} // namespace rankscope::trainer
