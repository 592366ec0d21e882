// SPDX-License-Identifier: Apache-2.0
// The utterances that a configuration names: manifests read, filtered by duration, found in their shards, bucket by
// bucket.
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
    std::vector<std::int64_t> shardBegin; ///< tarred: of each shard, and the end of the last; in the set
};

struct TrainingSet {
    std::shared_ptr<const UtteranceSet> utterances;
    std::vector<BucketRange> buckets; ///< one a bucket; one for all without buckets
};

/// `warn` is told what NeMo only warns of: damaged shards, utterances that no shard holds.
Result<TrainingSet> readTrainingSet(const config::DatasetConfig& config,
                                    const std::function<void(const std::string&)>& warn);

} // namespace rankscope::trainer
