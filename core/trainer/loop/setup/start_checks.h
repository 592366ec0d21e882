// SPDX-License-Identifier: Apache-2.0
// The checks before and at start (docs/diagnosis.md): the ranks exchange their settings, and a run that would hang ends
// here with an explanation.
#pragma once

#include "core/trainer/loop/setup/rank_runtime.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace rankscope::trainer {

/// Appends a record of each result, and logs those that failed.
void note(RankRuntime& rank, const std::vector<CheckResult>& results);

/// Checks settings, loader, data, model and devices as they act on each rank, over the rendezvous store and before any
/// collective: rank 0 compares and sends all ranks the result. Waits at most `timeout` for the others. The error is the
/// same on every rank.
Result<void> checkSettings(RankRuntime& rank, c10d::Store& store, std::chrono::milliseconds timeout);
/// Runs the checks that a single rank can make before it trains.
void checkAlone(RankRuntime& rank);

/// Both are collectives, tags "check:shards" and "check:initial_weights"; they throw what collectives throw. Errors are
/// the same on every rank.
Result<void> checkShares(RankRuntime& rank);
Result<void> checkInitialWeights(RankRuntime& rank);

/// Checks the first batch of this run.
class FirstBatchCheck {
public:
    explicit FirstBatchCheck(RankRuntime& rank) : m_rank(rank) {}

    /// Call it inside forward, when the encoder's input is complete: [batch, features, frames], and the frames of each
    /// row. Publishes this rank's values without waiting for the others.
    void see(const Batch& batch, const torch::Tensor& mel, const std::vector<std::int64_t>& lengths);
    /// Call it after the step: rank 0 compares the published values of all ranks.
    void conclude();

private:
    RankRuntime& m_rank;
    std::vector<CheckResult> m_own;
};

} // namespace rankscope::trainer
