// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/batch_sampler.h"

#include "core/base/values/result.h"
#include "core/plan/data/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace rankscope::plan {

namespace {

constexpr std::uint64_t kBucketTag = 0x6275636b6574; // keeps these draws apart from those of the noise

tl::unexpected<Error> bad(const char* key, std::string what) {
    return fail(Errc::BadInput, std::move(what), key);
}

/// How often an epoch goes through each bucket.
Result<std::vector<int>> weightsOf(const config::BucketingConfig& bucketing, std::size_t buckets) {
    std::vector<int> weights = bucketing.weights;
    if (weights.empty() || buckets < 2)
        weights.assign(buckets, 1);
    if (weights.size() != buckets)
        return bad("bucketing_weights", fmt::format("has {} items for {} buckets", weights.size(), buckets));
    for (const int weight : weights)
        if (weight < 1 || weight > 1'000)
            return bad("bucketing_weights", fmt::format("is {}, expected 1 to 1000", weight));
    return weights;
}

/// A size a pass: as an integer, NeMo multiplies it with the number of passes from this bucket's index on, so that the
/// first bucket, with the shortest utterances, gets the largest batches.
Result<std::vector<int>> sizesOf(const config::BucketingConfig& bucketing, const std::vector<int>& weights,
                                 int batchSize) {
    const bool one = weights.size() < 2;
    if (!one && !bucketing.batchSizes.empty() && bucketing.batchSizes.size() != weights.size())
        return bad("bucketing_batch_size",
                   fmt::format("has {} items for {} buckets", bucketing.batchSizes.size(), weights.size()));
    const std::int64_t passes = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    std::vector<int> sizes;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t size = batchSize;
        if (!one && !bucketing.batchSizes.empty())
            size = bucketing.batchSizes[i];
        else if (!one && bucketing.scaledBatchSize != 0)
            size = bucketing.scaledBatchSize * (passes - static_cast<std::int64_t>(i));
        if (size < 1 || size > std::numeric_limits<int>::max())
            return bad("bucketing_batch_size", fmt::format("gives bucket {} batches of {}", i, size));
        sizes.insert(sizes.end(), static_cast<std::size_t>(weights[i]), static_cast<int>(size));
    }
    return sizes;
}

} // namespace

std::vector<std::int64_t> SampledBucket::rows(int epoch, std::uint64_t pass) const {
    ShardOptions options = m_options;
    if (pass > 0) // the first pass is DistributedSampler's own
        options.seed = hashOf({m_options.seed, kBucketTag, pass});
    auto rows = shardOrder(m_size, options, epoch);
    for (std::int64_t& row : rows)
        row += m_first;
    return rows;
}

Result<BatchSampler> BatchSampler::create(std::vector<std::shared_ptr<const BucketOrder>> buckets,
                                          const config::BucketingConfig& bucketing, const BatchOptions& options) {
    RS_TRY_ASSIGN(const auto weights, weightsOf(bucketing, buckets.size()));
    RS_TRY_ASSIGN(const auto sizes, sizesOf(bucketing, weights, options.batchSize));
    // with sizes of their own the buckets' batches are made before the DataLoader, whose drop_last then has no effect
    const bool several = buckets.size() > 1;
    const bool adaptive = several && (bucketing.scaledBatchSize != 0 || !bucketing.batchSizes.empty());
    BatchSampler sampler;
    sampler.m_bucketing = bucketing;
    sampler.m_options = options;
    sampler.m_options.dropLast = options.dropLast && !adaptive;
    sampler.m_chained = several && !adaptive && !bucketing.batchesWithin;
    for (std::size_t i = 0; i < buckets.size(); ++i)
        for (int pass = 0; pass < weights[i]; ++pass) {
            const int size = sizes[sampler.m_passes.size()];
            RS_TRY(sampler.addPass(buckets[i], size, several ? fmt::format(" of bucket {}", i) : ""));
        }
    RS_TRY(sampler.m_chained ? sampler.chain() : Result<void>());
    return sampler;
}

static tl::unexpected<Error> noBatch(const std::string& name, std::int64_t share, int batchSize) {
    return bad("drop_last",
               fmt::format("leaves no batch{}: a rank's share is {}, batch_size is {}", name, share, batchSize));
}

Result<void> BatchSampler::addPass(std::shared_ptr<const BucketOrder> bucket, int batchSize, const std::string& name) {
    const std::int64_t share = bucket->size();
    if (m_chained) { // its batches are counted with those of the others
        m_passes.push_back({std::move(bucket), batchSize, 0, share});
        return {};
    }
    const std::int64_t batches = batchCount(share, batchSize, m_options.dropLast);
    if (batches == 0 && share > 0)
        return noBatch(name, share, batchSize);
    const std::int64_t samples = m_options.dropLast ? batches * batchSize : share;
    m_passes.push_back({std::move(bucket), batchSize, batches, samples});
    m_batches += batches;
    m_samples += samples;
    m_dropped += share - samples;
    return {};
}

/// What drop_last leaves out are the last utterances of the epoch.
Result<void> BatchSampler::chain() {
    std::int64_t share = 0;
    for (const Pass& pass : m_passes)
        share += pass.samples;
    m_batches = batchCount(share, m_options.batchSize, m_options.dropLast);
    if (m_batches == 0 && share > 0)
        return noBatch("", share, m_options.batchSize);
    m_samples = m_options.dropLast ? m_batches * m_options.batchSize : share;
    m_dropped = share - m_samples;
    return {};
}

/// NeMo's: as written; a permutation that is the same on all ranks; one of the rank's own.
std::vector<std::size_t> BatchSampler::passOrder(int epoch) const {
    std::vector<std::size_t> order(m_passes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_bucketing.strategy == "fixed_order")
        return order;
    const bool own = m_bucketing.strategy == "fully_randomized";
    Rng rng{m_options.seed, kBucketTag, static_cast<std::uint64_t>(epoch),
            own ? static_cast<std::uint64_t>(m_options.rank) + 1 : 0};
    shuffle(order, rng);
    return order;
}

BatchOrder BatchSampler::order(int epoch) const {
    BatchOrder order;
    order.rows.reserve(static_cast<std::size_t>(m_samples));
    order.begin.reserve(static_cast<std::size_t>(m_batches) + 1);
    for (const std::size_t which : passOrder(epoch)) {
        const Pass& pass = m_passes[which];
        auto rows = pass.bucket->rows(epoch, which);
        rows.resize(static_cast<std::size_t>(pass.samples)); // drop_last
        for (std::int64_t i = 0; i < pass.batches; ++i)
            order.begin.push_back(static_cast<std::int64_t>(order.rows.size()) + i * pass.batchSize);
        order.rows.insert(order.rows.end(), rows.begin(), rows.end());
    }
    for (std::int64_t i = 0; m_chained && i < m_batches; ++i)
        order.begin.push_back(i * m_options.batchSize);
    order.rows.resize(static_cast<std::size_t>(m_samples));
    order.begin.push_back(static_cast<std::int64_t>(order.rows.size()));
    return order;
}

std::shared_ptr<const BucketOrder> sampledBucket(const config::DatasetConfig& data, std::int64_t first,
                                                 std::int64_t size, int rank, int worldSize, std::uint64_t seed) {
    return std::make_shared<SampledBucket>(first, size, ShardOptions{rank, worldSize, data.shuffle, false, seed});
}

Result<BatchSampler> batchSampler(const config::DatasetConfig& data,
                                  std::vector<std::shared_ptr<const BucketOrder>> buckets, int rank,
                                  std::uint64_t seed) {
    return BatchSampler::create(std::move(buckets), data.bucketing, {rank, data.batchSize, data.dropLast, seed});
}

} // namespace rankscope::plan
