// SPDX-License-Identifier: Apache-2.0
// Computes from durations what each rank gets, with the trainer's own samplers.
#pragma once

#include "core/plan/data/batch_sampler.h"
#include "core/plan/data/manifest.h"
#include "core/plan/result/plan.h"

#include <functional>

namespace rankscope::plan {

/// Returns the batches that a rank makes from buckets of utterances; `begin`: start of each bucket, and the end of the
/// last. Tarred datasets are distributed by shards instead (trainer/data/shards.h). Without `sharded`
/// (use_distributed_sampler: false) every rank sees the whole set.
Result<BatchSampler> batchesOf(const config::DatasetConfig& data, const std::vector<std::int64_t>& begin, int rank,
                               int worldSize, bool sharded, std::uint64_t seed);

struct DataOptions {
    int ranks = 1;
    bool sharded = true;
    std::function<std::uint64_t(int rank)> seed = [](int) { return std::uint64_t{0}; }; ///< orderSeed()
    config::BatchLimit limit;
    int batchesPerMeeting = 1;       ///< ranks wait for each other after this many batches
    std::function<bool()> cancelled; ///< may be null
};

/// Plans the first epoch. Returns an error only if cancelled; the reason why there are no shares is in `problem`.
Result<DataPlan> planData(const std::string& section, const config::DatasetConfig& data, const DataOptions& options);

} // namespace rankscope::plan
