// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/batches/batch_loader.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/plan/data/batch_sampler.h"
#include "core/trainer/data/audio/noise_bank.h"
#include "core/trainer/data/batches/batch_maker.h"
#include "core/trainer/data/batches/prefetcher.h"
#include "core/trainer/data/sets/tar_shards.h"
#include "core/trainer/data/sets/training_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <system_error>

namespace rankscope::trainer {

using plan::BatchOrder;
using plan::BatchSampler;
using plan::BucketOrder;

namespace {

constexpr std::size_t kExamples = 3; // broken files that an error names

using BrokenRows = std::map<std::int64_t, Error>; // by row

Message examples(const BrokenRows& broken) {
    Message text;
    std::size_t shown = 0;
    for (const auto& [row, error] : broken) {
        if (shown++ == kExamples)
            return {"{}; and {} more", std::move(text), broken.size() - kExamples};
        text = text.empty() ? error.asMessage() : Message("{}; {}", std::move(text), error.asMessage());
    }
    return text;
}

/// The part of the ranks' shares that is known before the first epoch.
struct Sharing {
    int ranks = 1;
    EpochShard epoch;                    // without rows
    std::optional<std::int64_t> counted; // utterances of a rank, if NeMo does not count the batches themselves
};

class Loader final : public BatchLoader {
public:
    Loader(std::shared_ptr<const UtteranceSet> utterances, BatchSampler sampler, Sharing sharing,
           std::shared_ptr<const BatchMaker> maker, LoaderHooks hooks, const config::DatasetConfig& config)
        : m_utterances(std::move(utterances)), m_sampler(std::move(sampler)), m_sharing(std::move(sharing)),
          m_batchSize(config.batchSize), m_maxBrokenShare(config.maxBrokenShare),
          m_prefetcher(std::move(maker), std::move(hooks), config.numWorkers, config.prefetchFactor) {}

    std::int64_t batchesPerEpoch() const override { return std::min(m_sampler.batches(), countedBatches(false)); }
    std::int64_t countedBatches(bool dropLast) const override {
        return m_sharing.counted ? plan::batchCount(*m_sharing.counted, m_batchSize, dropLast) : m_sampler.batches();
    }
    std::int64_t utterances() const override { return m_utterances->size(); }
    void cancel() override { m_prefetcher.cancel(); }

    std::uint64_t contentHash() const override {
        std::uint64_t hash = hash64({});
        for (std::int64_t i = 0; i < m_utterances->size(); ++i) {
            const Utterance& u = m_utterances->get(i);
            const std::array<double, 2> times{u.offset, u.duration};
            hash = hash64(std::string_view(u.path).substr(u.path.rfind('/') + 1), hash); // folders may differ by host
            hash = hash64({reinterpret_cast<const char*>(times.data()), sizeof times}, hash);
        }
        return hash;
    }

    EpochShard share(int epoch) const override {
        EpochShard out = m_sharing.epoch;
        BatchOrder order = m_sampler.order(epoch);
        order.rows.resize(static_cast<std::size_t>(order.begin[static_cast<std::size_t>(batchesPerEpoch())]));
        out.rows = std::move(order.rows);
        out.mayMiss += (m_sampler.samples() - static_cast<std::int64_t>(out.rows.size())) * m_sharing.ranks;
        return out;
    }

    void beginEpoch(int epoch, std::int64_t firstBatch) override {
        BatchOrder order = m_sampler.order(epoch);
        EpochPlan plan;
        plan.epoch = epoch;
        plan.utterances = std::make_shared<OrderedSet>(m_utterances, std::move(order.rows));
        plan.begin = std::make_shared<const std::vector<std::int64_t>>(std::move(order.begin));
        plan.batches = batchesPerEpoch();
        plan.firstIndex = epoch * plan.batches;
        plan.firstBatch = std::clamp<std::int64_t>(firstBatch, 0, plan.batches);
        m_broken.clear();
        m_begun = true;
        m_prefetcher.begin(std::move(plan));
    }

    Result<std::optional<Batch>> next() override {
        if (!m_begun)
            return fail(Errc::Internal, "next() was called before beginEpoch()", "batch loader");
        RS_TRY_ASSIGN(auto delivery, m_prefetcher.next());
        if (!delivery)
            return std::optional<Batch>();
        RS_TRY(judge(delivery->made));
        Batch batch = std::move(*delivery->made.batch);
        batch.queueDepth = delivery->queueDepth;
        return batch;
    }

private:
    /// Counts broken files in the order of the batches, so that a set always fails at the same batch, no matter how the
    /// workers are scheduled.
    Result<void> judge(const MadeBatch& made) {
        BrokenRows here;
        for (const BrokenFile& file : made.broken)
            if (file.row >= 0)
                here.emplace(file.row, file.error);
        m_broken.insert(here.begin(), here.end());
        if (!made.batch)
            return fail(
                Errc::BadInput,
                {"none of a batch's files can be read, and none of the following ones either: {}", examples(here)},
                "training data");
        const std::int64_t all = std::min(m_sampler.samples(), m_sharing.counted.value_or(m_sampler.samples()));
        const double most = m_maxBrokenShare * static_cast<double>(all);
        if (static_cast<double>(m_broken.size()) > most)
            return fail(Errc::BadInput,
                        {"more than {:g} % of the files (rankscope.max_broken_share) cannot be read, {} of {} "
                         "so far: {}",
                         m_maxBrokenShare * 100, m_broken.size(), all, examples(m_broken)},
                        "training data");
        return {};
    }

    std::shared_ptr<const UtteranceSet> m_utterances; // after the filter
    BatchSampler m_sampler;
    Sharing m_sharing;
    int m_batchSize;
    double m_maxBrokenShare;
    BrokenRows m_broken; // of this epoch
    bool m_begun = false;
    Prefetcher m_prefetcher; // last member: its workers end before the others are destroyed
};

Result<void> checkConfig(const config::DatasetConfig& config, int rank, int worldSize) {
    const auto bad = [](Message what, const char* key) { return fail(Errc::BadInput, std::move(what), key); };
    if (worldSize < 1 || rank < 0 || rank >= worldSize)
        return fail(Errc::Internal, {"rank {} of {} ranks", rank, worldSize}, "batch loader");
    if (config.manifests.empty())
        return bad("does not name a manifest", "manifest_filepath");
    if (config.batchSize < 1)
        return bad({"is {}, expected 1 or more", config.batchSize}, "batch_size");
    if (config.sampleRate < 1'000 || config.sampleRate > 768'000)
        return bad({"is {} Hz, expected 1000 to 768000", config.sampleRate}, "sample_rate");
    if (config.numWorkers < 0 || config.numWorkers > 1'024)
        return bad({"is {}, expected 0 to 1024", config.numWorkers}, "num_workers");
    if (config.numWorkers > 0 && (config.prefetchFactor < 1 || config.prefetchFactor > 1'024))
        return bad({"is {}, expected 1 to 1024", config.prefetchFactor}, "prefetch_factor");
    if (!(config.maxBrokenShare >= 0 && config.maxBrokenShare <= 1))
        return bad({"is {}, expected 0 to 1", config.maxBrokenShare}, "rankscope.max_broken_share");
    return config.augmentor.present ? checkAugmentor(config.augmentor) : Result<void>();
}

using Buckets = std::vector<std::shared_ptr<const BucketOrder>>;

/// NeMo assumes that every bucket is as large as its manifest says, whatever a rank's files hold. If the ranks hold
/// different numbers of utterances, each counts as many as the largest.
void countAsNemo(const config::DatasetConfig& config, const TrainingSet& set, const Buckets& buckets, int worldSize,
                 Sharing& sharing) {
    const bool several = buckets.size() > 1;
    if (!config.tarred.enabled || (several && (config.bucketing.hasSizes() || config.bucketing.batchesWithin)))
        return;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const std::int64_t held = config.tarred.strategy == "replicate" ? 0 : buckets[i]->size() * worldSize;
        const auto& weights = config.bucketing.weights;
        all += std::max(set.buckets[i].listed, held) * (several && !weights.empty() ? weights[i] : 1);
    }
    sharing.counted = plan::shardSize(all, worldSize, false);
}

/// Adds to `sharing` how many utterances each bucket may repeat and leave out, or why the ranks do not share them.
Result<Buckets> sharedBuckets(TrainingSet& set, const config::DatasetConfig& config, int rank, int worldSize,
                              std::uint64_t seed, EpochShard& sharing) {
    Buckets buckets;
    for (BucketRange& range : set.buckets) {
        if (!config.tarred.enabled) {
            buckets.push_back(plan::sampledBucket(config, range.first, range.size, rank, worldSize, seed));
            sharing.mayRepeat += buckets.back()->size() * worldSize - range.size;
            continue;
        }
        ShardOrderOptions options;
        options.rank = rank;
        options.worldSize = worldSize;
        options.replicate = config.tarred.strategy == "replicate";
        options.shuffle = config.shuffle;
        options.shuffleN = config.tarred.shuffleN >= 0 ? config.tarred.shuffleN : 4 * config.batchSize;
        options.seed = seed;
        options.within = config.tarred.shuffleWithin;
        options.streams = static_cast<std::size_t>(std::max(1, config.readers()));
        RS_TRY_ASSIGN(auto bucket, ShardedBucket::create(std::move(range.shardBegin), options));
        sharing.mayMiss += bucket->unused();
        buckets.push_back(std::move(bucket));
    }
    if (config.tarred.enabled && config.tarred.strategy == "replicate")
        sharing.notShared = "with tarred_shard_strategy replicate each rank draws from all tar files";
    if (buckets.size() > 1 && std::any_of(config.bucketing.weights.begin(), config.bucketing.weights.end(),
                                          [](int weight) { return weight != 1; }))
        sharing.notShared = "bucketing_weights repeat utterances within an epoch";
    return buckets;
}

/// NeMo gives the same warning.
void warnOfLostShards(const config::TarredConfig& tarred, int worldSize,
                      const std::function<void(const std::string&)>& warn) {
    for (const auto& shards : tarred.shards)
        if (const auto left = shards.size() % static_cast<std::size_t>(worldSize);
            tarred.strategy != "replicate" && left > 0)
            warn(fmt::format("{} tar files are not a multiple of {} ranks: the last {}, from {} on, are not used",
                             shards.size(), worldSize, left, shards[shards.size() - left]));
}

} // namespace

Result<std::unique_ptr<BatchLoader>> BatchLoader::create(const config::DatasetConfig& config, int rank, int worldSize,
                                                         std::uint64_t seed, LoaderHooks hooks) {
    RS_TRY(checkConfig(config, rank, worldSize));
    const auto warn = [&](const std::string& message) {
        if (rank == 0 && hooks.warning) // all ranks would report the same
            hooks.warning(message);
    };
    RS_TRY_ASSIGN(auto set, readTrainingSet(config, warn));
    RS_TRY_ASSIGN(auto clips, readManifests(config.noiseManifests, DurationKey::Optional));
    warnOfLostShards(config.tarred, worldSize, warn);
    Sharing sharing;
    sharing.ranks = worldSize;
    sharing.epoch.utterances = set.utterances->size();
    RS_TRY_ASSIGN(auto buckets, sharedBuckets(set, config, rank, worldSize, seed, sharing.epoch));
    RS_TRY_ASSIGN(auto sampler, plan::batchSampler(config, buckets, rank, seed));
    countAsNemo(config, set, buckets, worldSize, sharing);
    sharing.epoch.mayMiss += sampler.dropped() * worldSize;
    auto maker = std::make_shared<BatchMaker>(config, NoiseBank(std::move(clips), config.sampleRate), rank, seed);
    try {
        return std::make_unique<Loader>(set.utterances, std::move(sampler), std::move(sharing), std::move(maker),
                                        std::move(hooks), config);
    } catch (const std::system_error& error) {
        return fail(Errc::Io, {"is {}: its threads cannot be started: {}", config.numWorkers, error.what()},
                    "num_workers");
    }
}

} // namespace rankscope::trainer
