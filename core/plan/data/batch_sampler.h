// SPDX-License-Identifier: Apache-2.0
// The batches of a rank's epoch. Without buckets: DataLoader's over DistributedSampler. With buckets (manifest_filepath
// as a list of lists) and bucketing_batch_size every batch comes from one bucket, and all ranks make the same number
// from each. Without bucketing_batch_size, batches are cut from the buckets one after another, as NeMo's DataLoader
// cuts its chained stream: a batch may cross a border. Tar files may be split into streams, as NeMo splits them over
// its loader's workers: each stream makes its own batches, which are taken in turn.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/data/epoch_order.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::plan {

/// The part of one bucket that one rank sees.
class BucketOrder {
public:
    virtual ~BucketOrder() = default;
    /// Returns the number of utterances of each stream in an epoch, the same on every rank. All buckets of a set have
    /// the same number of streams.
    virtual std::vector<std::int64_t> sizes() const = 0;
    std::int64_t size() const; ///< total of all streams
    /// Returns sizes()[stream] positions in the whole set. `pass` distinguishes the passes if an epoch goes through the
    /// bucket more than once.
    virtual std::vector<std::int64_t> rows(int epoch, std::uint64_t pass, std::size_t stream = 0) const = 0;
};

/// Utterances first ... first+size-1, distributed by DistributedSampler.
class SampledBucket final : public BucketOrder {
public:
    SampledBucket(std::int64_t first, std::int64_t size, ShardOptions options)
        : m_first(first), m_size(size), m_options(options) {}
    std::vector<std::int64_t> sizes() const override {
        return {shardSize(m_size, m_options.worldSize, m_options.dropLast)};
    }
    std::vector<std::int64_t> rows(int epoch, std::uint64_t pass, std::size_t stream = 0) const override;

private:
    std::int64_t m_first, m_size;
    ShardOptions m_options;
};

/// Returns utterances first ... first+size-1 distributed as in Lightning: its DistributedSampler has drop_last false;
/// the drop_last that takes effect is the loader's.
std::shared_ptr<const BucketOrder> sampledBucket(const config::DatasetConfig& data, std::int64_t first,
                                                 std::int64_t size, int rank, int worldSize, std::uint64_t seed);

/// The batches of a rank's epoch, in order.
struct BatchOrder {
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> begin; ///< start of each batch in `rows`, and the end of the last
};

struct BatchOptions {
    int rank = 0, batchSize = 1;
    bool dropLast = false;
    std::uint64_t seed = 0;
    /// The number of workers of NeMo's loader, which determines its order of the buckets (synced_randomized); none: a
    /// new order each epoch, drawn from the seed.
    std::optional<int> bucketOrderOfWorkers{};
};

class BatchSampler {
public:
    /// Errors name the key: sizes and weights that do not fit the buckets, a bucket that drop_last leaves empty.
    static Result<BatchSampler> create(std::vector<std::shared_ptr<const BucketOrder>> buckets,
                                       const config::BucketingConfig& bucketing, const BatchOptions& options);

    std::int64_t batches() const; ///< per epoch, on every rank
    std::int64_t samples() const; ///< in these batches
    /// Utterances of the rank's share that are not in any batch.
    std::int64_t dropped() const { return m_share - samples(); }
    BatchOrder order(int epoch) const;

private:
    struct BatchCount {
        std::int64_t batches = 0, samples = 0;
    };
    struct Pass { // one pass of an epoch through a bucket
        std::shared_ptr<const BucketOrder> bucket;
        int batchSize = 1;
        std::vector<BatchCount> streams;
    };
    Result<void> addPass(std::shared_ptr<const BucketOrder> bucket, int batchSize,
                         std::optional<std::size_t> number); ///< of the bucket; none: there is only one
    Result<void> chain();
    std::vector<std::size_t> passOrder(int epoch) const;
    BatchOrder streamOrder(int epoch, std::size_t stream) const;

    std::vector<Pass> m_passes;
    std::vector<BatchCount> m_streams; // of all passes
    config::BucketingConfig m_bucketing;
    BatchOptions m_options;
    bool m_chained = false; ///< batches may cross the border of two passes
    std::int64_t m_share = 0;
};

/// Returns a sampler with the section's own batch sizes.
Result<BatchSampler> batchSampler(const config::DatasetConfig& data,
                                  std::vector<std::shared_ptr<const BucketOrder>> buckets, int rank,
                                  std::uint64_t seed);

} // namespace rankscope::plan
