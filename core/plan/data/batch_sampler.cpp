// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/batch_sampler.h"

#include "core/base/values/result.h"
#include "core/plan/data/random.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <random>

namespace rankscope::plan {

namespace {

constexpr std::uint64_t kBucketTag = 0x6275636b6574; // keeps these draws separate from those of the noise

tl::unexpected<Error> bad(const char* key, Message what) {
    return fail(Errc::BadInput, std::move(what), key);
}

/// Returns how often an epoch goes through each bucket.
Result<std::vector<int>> weightsOf(const config::BucketingConfig& bucketing, std::size_t buckets) {
    std::vector<int> weights = bucketing.weights;
    if (weights.empty() || buckets < 2)
        weights.assign(buckets, 1);
    if (weights.size() != buckets)
        return bad("bucketing_weights", {"has {} items for {} buckets", weights.size(), buckets});
    for (const int weight : weights)
        if (weight < 1 || weight > 1'000)
            return bad("bucketing_weights", {"is {}, expected 1 to 1000", weight});
    return weights;
}

/// Returns one batch size per pass: NeMo multiplies an integer by the number of passes from this bucket's index on, so
/// that the first bucket, with the shortest utterances, gets the largest batches.
Result<std::vector<int>> sizesOf(const config::BucketingConfig& bucketing, const std::vector<int>& weights,
                                 int batchSize) {
    const bool one = weights.size() < 2;
    if (!one && !bucketing.batchSizes.empty() && bucketing.batchSizes.size() != weights.size())
        return bad("bucketing_batch_size",
                   {"has {} items for {} buckets", bucketing.batchSizes.size(), weights.size()});
    const std::int64_t passes = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    std::vector<int> sizes;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t size = batchSize;
        if (!one && !bucketing.batchSizes.empty())
            size = bucketing.batchSizes[i];
        else if (!one && bucketing.scaledBatchSize != 0)
            size = bucketing.scaledBatchSize * (passes - static_cast<std::int64_t>(i));
        if (size < 1 || size > std::numeric_limits<int>::max())
            return bad("bucketing_batch_size", {"gives bucket {} batches of {}", i, size});
        sizes.insert(sizes.end(), static_cast<std::size_t>(weights[i]), static_cast<int>(size));
    }
    return sizes;
}

/// Takes one batch of each stream in turn; a stream without batches left is skipped.
BatchOrder inTurn(const std::vector<BatchOrder>& streams) {
    std::size_t rounds = 0;
    for (const BatchOrder& stream : streams)
        rounds = std::max(rounds, stream.begin.size() - 1);
    BatchOrder order;
    for (std::size_t round = 0; round < rounds; ++round)
        for (const BatchOrder& stream : streams) {
            if (round + 1 >= stream.begin.size())
                continue;
            order.begin.push_back(static_cast<std::int64_t>(order.rows.size()));
            order.rows.insert(order.rows.end(), stream.rows.begin() + stream.begin[round],
                              stream.rows.begin() + stream.begin[round + 1]);
        }
    order.begin.push_back(static_cast<std::int64_t>(order.rows.size()));
    return order;
}

/// Returns the order of NeMo's RandomizedChainDataset(rnd_seed=0): numpy's RandomState(0).permutation(), drawn once per
/// epoch. With workers each epoch begins with a new copy of the generator, and so has the same order.
std::vector<std::size_t> nemoOrder(std::size_t buckets, int epoch, int workers) {
    std::mt19937 generator(0);
    std::vector<std::size_t> order(buckets);
    for (int drawn = workers > 0 ? epoch : 0; drawn <= epoch; ++drawn) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t last = order.size(); last-- > 1;) {
            const std::size_t mask = std::bit_ceil(last + 1) - 1; // numpy draws again if the number is above `last`
            std::size_t at = generator() & mask;
            while (at > last)
                at = generator() & mask;
            std::swap(order[last], order[at]);
        }
    }
    return order;
}

} // namespace

std::int64_t BucketOrder::size() const {
    const auto all = sizes();
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

std::vector<std::int64_t> SampledBucket::rows(int epoch, std::uint64_t pass, std::size_t) const {
    ShardOptions options = m_options;
    if (pass > 0) // the first pass is exactly that of DistributedSampler
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
    // if buckets have batch sizes, batches are made before the DataLoader, so its drop_last has no effect
    const bool several = buckets.size() > 1;
    const bool adaptive = several && bucketing.hasSizes();
    BatchSampler sampler;
    sampler.m_bucketing = bucketing;
    sampler.m_options = options;
    sampler.m_options.dropLast = options.dropLast && !adaptive;
    sampler.m_chained = several && !adaptive && !bucketing.batchesWithin;
    for (std::size_t i = 0; i < buckets.size(); ++i)
        for (int pass = 0; pass < weights[i]; ++pass) {
            const int size = sizes[sampler.m_passes.size()];
            RS_TRY(sampler.addPass(buckets[i], size, several ? std::optional(i) : std::nullopt));
        }
    RS_TRY(sampler.m_chained ? sampler.chain() : Result<void>());
    return sampler;
}

static tl::unexpected<Error> noBatch(std::optional<std::size_t> bucket, std::int64_t share, int batchSize) {
    return bad("drop_last", bucket
                                ? Message("leaves no batch in bucket {}: a rank's share is {}, batch_size is {}",
                                          *bucket, share, batchSize)
                                : Message("leaves no batch: a rank's share is {}, batch_size is {}", share, batchSize));
}

Result<void> BatchSampler::addPass(std::shared_ptr<const BucketOrder> bucket, int batchSize,
                                   std::optional<std::size_t> number) {
    Pass pass{std::move(bucket), batchSize, {}};
    const auto sizes = pass.bucket->sizes();
    m_streams.resize(sizes.size());
    std::int64_t batches = 0, share = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        BatchCount count{0, sizes[i]};
        if (!m_chained) { // otherwise its batches are counted with those of the others
            count.batches = batchCount(sizes[i], batchSize, m_options.dropLast);
            count.samples = m_options.dropLast ? count.batches * batchSize : sizes[i];
        }
        pass.streams.push_back(count);
        m_streams[i].batches += count.batches;
        m_streams[i].samples += count.samples;
        batches += count.batches;
        share += sizes[i];
    }
    if (!m_chained && batches == 0 && share > 0)
        return noBatch(number, share, batchSize);
    m_passes.push_back(std::move(pass));
    m_share += share;
    return {};
}

/// Counts the batches of the chained passes. drop_last leaves out the last utterances of each stream.
Result<void> BatchSampler::chain() {
    std::int64_t batches = 0;
    for (BatchCount& stream : m_streams) {
        stream.batches = batchCount(stream.samples, m_options.batchSize, m_options.dropLast);
        if (m_options.dropLast)
            stream.samples = stream.batches * m_options.batchSize;
        batches += stream.batches;
    }
    return batches == 0 && m_share > 0 ? noBatch(std::nullopt, m_share, m_options.batchSize) : Result<void>();
}

std::int64_t BatchSampler::batches() const {
    return std::accumulate(m_streams.begin(), m_streams.end(), std::int64_t{0},
                           [](std::int64_t sum, const BatchCount& stream) { return sum + stream.batches; });
}

std::int64_t BatchSampler::samples() const {
    return std::accumulate(m_streams.begin(), m_streams.end(), std::int64_t{0},
                           [](std::int64_t sum, const BatchCount& stream) { return sum + stream.samples; });
}

/// Returns the order of the passes: as written, a permutation that is the same on all ranks, or a separate one on each
/// rank.
std::vector<std::size_t> BatchSampler::passOrder(int epoch) const {
    std::vector<std::size_t> order(m_passes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_bucketing.strategy == "fixed_order")
        return order;
    const bool own = m_bucketing.strategy == "fully_randomized";
    if (!own && m_options.bucketOrderOfWorkers)
        return nemoOrder(order.size(), epoch, *m_options.bucketOrderOfWorkers);
    Rng rng{m_options.seed, kBucketTag, static_cast<std::uint64_t>(epoch),
            own ? static_cast<std::uint64_t>(m_options.rank) + 1 : 0};
    shuffle(order, rng);
    return order;
}

BatchOrder BatchSampler::streamOrder(int epoch, std::size_t stream) const {
    const BatchCount& all = m_streams[stream];
    BatchOrder order;
    order.rows.reserve(static_cast<std::size_t>(all.samples));
    order.begin.reserve(static_cast<std::size_t>(all.batches) + 1);
    for (const std::size_t which : passOrder(epoch)) {
        const Pass& pass = m_passes[which];
        const BatchCount& count = pass.streams[stream];
        auto rows = pass.bucket->rows(epoch, which, stream);
        rows.resize(static_cast<std::size_t>(count.samples)); // drop_last
        for (std::int64_t i = 0; i < count.batches; ++i)
            order.begin.push_back(static_cast<std::int64_t>(order.rows.size()) + i * pass.batchSize);
        order.rows.insert(order.rows.end(), rows.begin(), rows.end());
    }
    for (std::int64_t i = 0; m_chained && i < all.batches; ++i)
        order.begin.push_back(i * m_options.batchSize);
    order.rows.resize(static_cast<std::size_t>(all.samples));
    order.begin.push_back(static_cast<std::int64_t>(order.rows.size()));
    return order;
}

BatchOrder BatchSampler::order(int epoch) const {
    std::vector<BatchOrder> streams;
    for (std::size_t stream = 0; stream < m_streams.size(); ++stream)
        streams.push_back(streamOrder(epoch, stream));
    return streams.size() == 1 ? std::move(streams.front()) : inTurn(streams);
}

std::shared_ptr<const BucketOrder> sampledBucket(const config::DatasetConfig& data, std::int64_t first,
                                                 std::int64_t size, int rank, int worldSize, std::uint64_t seed) {
    return std::make_shared<SampledBucket>(first, size, ShardOptions{rank, worldSize, data.shuffle, false, seed});
}

Result<BatchSampler> batchSampler(const config::DatasetConfig& data,
                                  std::vector<std::shared_ptr<const BucketOrder>> buckets, int rank,
                                  std::uint64_t seed) {
    BatchOptions options{rank, data.batchSize, data.dropLast, seed};
    if (data.tarred.enabled && !data.bucketing.reorder) // NeMo does not have buckets of plain files
        options.bucketOrderOfWorkers = data.readers();
    return BatchSampler::create(std::move(buckets), data.bucketing, options);
}

} // namespace rankscope::plan
