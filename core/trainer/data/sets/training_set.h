// SPDX-License-Identifier: Apache-2.0
// Collects the utterances that a configuration names: reads the manifests, filters by duration and finds the utterances
// in their shards, bucket by bucket.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/data/sets/utterance.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct BucketRange {
    std::int64_t first = 0, size = 0;     ///< in the set
    std::int64_t listed = 0;              ///< in the manifests, after the filter: some may be in no shard
    std::vector<std::int64_t> shardBegin; ///< tarred: where each shard begins in the set, then the end of the last
};

struct TrainingSet {
    std::shared_ptr<const UtteranceSet> utterances;
    std::vector<BucketRange> buckets; ///< one per bucket; a single one without buckets
};

/// Reads the set. `warn` receives problems that NeMo only warns about: damaged shards, utterances that no shard holds.
Result<TrainingSet> readTrainingSet(const config::DatasetConfig& config,
                                    const std::function<void(const std::string&)>& warn);

} // namespace rankscope::trainer
