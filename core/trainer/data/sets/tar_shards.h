// SPDX-License-Identifier: Apache-2.0
// Reads tarred sets as NeMo's tools write them: tar files (shards) of audio, matched to the manifest by name.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/data/batch_sampler.h"
#include "core/trainer/data/sets/utterance.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::trainer {

using plan::BucketOrder;

struct ShardedRows {
    std::vector<Utterance> utterances; ///< shard by shard, in the order of the members
    std::vector<std::int64_t> begin;   ///< where each shard begins in `utterances`, then the end of the last
};

/// Lists the shards (headers only) and keeps the members that the manifest names: member and row have the same name
/// without folder and extension. Several rows may be in one member, at different offsets. Members that no row names are
/// skipped. A shard that is missing, compressed or not a tar file is an error; a truncated one, and rows that no shard
/// holds, are reported to `warn`.
Result<ShardedRows> findInShards(const std::vector<Utterance>& rows, const std::vector<std::string>& shards,
                                 const std::function<void(const std::string&)>& warn);

struct ShardOrderOptions {
    int rank = 0, worldSize = 1;
    bool replicate = false; ///< tarred_shard_strategy: each rank draws from all shards; else from its own
    bool shuffle = true;    ///< the shards, `shuffleN` at a time, as NeMo's wds.shuffle() before tarfile_to_samples()
    std::int64_t shuffleN = 0; ///< below 2: in the order given
    std::uint64_t seed = 0;
    bool within = false; ///< rankscope.data.shuffle_within_tars: all shards, and `shuffleN` utterances at a time
    std::size_t streams = 1;
};

/// A rank's share of a bucket's shards. scatter: shards rank x n ... rank x n + n-1 for n = shards / ranks; leftover
/// shards are not used (NeMo). replicate: all shards, in an order specific to the rank; the loader decides how many of
/// their batches make an epoch. Stream s of n has every n-th shard from the s-th on, and shuffles only those, as NeMo's
/// webdataset_split_by_workers() does. Shards may differ in size: each stream has as many utterances as the largest of
/// any rank and repeats the first ones of its order if needed.
class ShardedBucket final : public BucketOrder {
public:
    /// Returns an error if there are fewer shards than ranks, or if a rank's shards hold nothing.
    static Result<std::shared_ptr<const ShardedBucket>> create(std::vector<std::int64_t> shardBegin,
                                                               const ShardOrderOptions& options);
    std::vector<std::int64_t> sizes() const override { return m_sizes; }
    std::int64_t unused() const; ///< utterances in leftover shards
    std::vector<std::int64_t> rows(int epoch, std::uint64_t pass, std::size_t stream = 0) const override;

private:
    ShardedBucket(std::vector<std::int64_t> shardBegin, const ShardOrderOptions& options)
        : m_begin(std::move(shardBegin)), m_options(options) {}

    std::size_t firstShard(int rank) const {
        return m_options.replicate ? 0 : static_cast<std::size_t>(rank) * m_shards;
    }
    std::vector<std::size_t> shardsOf(int rank, std::size_t stream) const;
    std::vector<std::int64_t> rowsOf(const std::vector<std::size_t>& shards) const;

    std::vector<std::int64_t> m_begin;
    ShardOrderOptions m_options;
    std::size_t m_shards = 0; ///< of each rank
    std::vector<std::int64_t> m_sizes;
};

} // namespace rankscope::trainer
