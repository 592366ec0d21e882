// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/batch_loader.h"

#include "core/trainer/data/augment.h"
#include "core/trainer/data/batch_maker.h"
#include "core/trainer/data/manifest.h"
#include "core/trainer/data/prefetcher.h"
#include "core/trainer/data/sampler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace rankscope::trainer {

namespace {

constexpr std::size_t kExamples = 3; // broken files that an error names

using BrokenRows = std::map<std::int64_t, std::string>; // row: path and what is wrong

std::string examples(const BrokenRows& broken) {
    std::string text;
    std::size_t shown = 0;
    for (const auto& [row, message] : broken) {
        if (shown++ == kExamples)
            return text + fmt::format("; and {} more", broken.size() - kExamples);
        text += (text.empty() ? "" : "; ") + message;
    }
    return text;
}

struct Shard {
    std::shared_ptr<const UtteranceSet> utterances; // after the filter
    ShardOptions options;
    std::int64_t size = 0; // of the rank, an epoch
    std::int64_t batches = 0;
    int batchSize = 1;
};

class Loader final : public BatchLoader {
public:
    Loader(Shard shard, std::shared_ptr<const BatchMaker> maker, LoaderHooks hooks, int workers, int prefetchFactor)
        : m_shard(std::move(shard)), m_prefetcher(std::move(maker), std::move(hooks), workers, prefetchFactor) {}

    std::int64_t batchesPerEpoch() const override { return m_shard.batches; }
    std::int64_t utterances() const override { return m_shard.utterances->size(); }
    void cancel() override { m_prefetcher.cancel(); }

    void beginEpoch(int epoch) override {
        EpochPlan plan;
        plan.epoch = epoch;
        plan.utterances = std::make_shared<OrderedSet>(m_shard.utterances,
                                                       shardOrder(m_shard.utterances->size(), m_shard.options, epoch));
        plan.batchSize = m_shard.batchSize;
        plan.batches = m_shard.batches;
        plan.firstIndex = epoch * m_shard.batches;
        m_broken.clear();
        m_begun = true;
        m_prefetcher.begin(std::move(plan));
    }

    Result<std::optional<Batch>> next() override {
        if (!m_begun)
            return fail(Errc::Internal, "next() was called before beginEpoch()", "batch loader");
        auto delivery = m_prefetcher.next();
        if (!delivery)
            return tl::unexpected(delivery.error());
        if (!*delivery)
            return std::optional<Batch>();
        if (auto usable = judge((*delivery)->made); !usable)
            return tl::unexpected(usable.error());
        Batch batch = std::move(*(*delivery)->made.batch);
        batch.queueDepth = (*delivery)->queueDepth;
        return batch;
    }

private:
    /// In the order of the batches, so that the same set fails at the same batch whatever the workers did.
    Result<void> judge(const MadeBatch& made) {
        BrokenRows here;
        for (const BrokenFile& file : made.broken)
            if (file.row >= 0)
                here.emplace(file.row, file.error.message());
        m_broken.insert(here.begin(), here.end());
        if (!made.batch)
            return fail(Errc::BadInput, "no file of a batch can be read: " + examples(here), "training data");
        if (static_cast<std::int64_t>(m_broken.size()) * 2 > m_shard.size)
            return fail(Errc::BadInput,
                        fmt::format("more than half of the files cannot be read, {} of {} so far: {}", m_broken.size(),
                                    m_shard.size, examples(m_broken)),
                        "training data");
        return {};
    }

    Shard m_shard;
    BrokenRows m_broken; // of this epoch
    bool m_begun = false;
    Prefetcher m_prefetcher; // last: its workers end first
};

Result<void> checkConfig(const config::DatasetConfig& config, int rank, int worldSize) {
    const auto bad = [](std::string what, const char* key) { return fail(Errc::BadInput, std::move(what), key); };
    if (worldSize < 1 || rank < 0 || rank >= worldSize)
        return fail(Errc::Internal, fmt::format("rank {} of {} ranks", rank, worldSize), "batch loader");
    if (config.manifests.empty())
        return bad("names no manifest", "manifest_filepath");
    if (config.batchSize < 1)
        return bad(fmt::format("is {}, expected 1 or more", config.batchSize), "batch_size");
    if (config.sampleRate < 1'000 || config.sampleRate > 768'000)
        return bad(fmt::format("is {} Hz, expected 1000 to 768000", config.sampleRate), "sample_rate");
    if (config.numWorkers < 0 || config.numWorkers > 1'024)
        return bad(fmt::format("is {}, expected 0 to 1024", config.numWorkers), "num_workers");
    if (config.numWorkers > 0 && (config.prefetchFactor < 1 || config.prefetchFactor > 1'024))
        return bad(fmt::format("is {}, expected 1 to 1024", config.prefetchFactor), "prefetch_factor");
    return config.augmentor.present ? checkAugmentor(config.augmentor) : Result<void>();
}

Result<std::shared_ptr<const UtteranceSet>> readSet(const config::DatasetConfig& config) {
    auto rows = readManifests(config.manifests, DurationKey::Required);
    if (!rows)
        return tl::unexpected(rows.error());
    const auto all = static_cast<std::int64_t>(rows->size());
    auto kept = std::make_shared<DurationFilter>(std::make_shared<ManifestSet>(std::move(*rows)), config.minDuration,
                                                 config.maxDuration);
    if (kept->size() > 0)
        return kept;
    return fail(
        Errc::BadInput,
        fmt::format("none of the {} utterances is left: {} are shorter than min_duration {:g} s, {} longer than "
                    "max_duration {:g} s",
                    all, kept->tooShort(), config.minDuration, kept->tooLong(), config.maxDuration),
        fmt::format("{}", fmt::join(config.manifests, ", ")));
}

} // namespace

Result<std::unique_ptr<BatchLoader>> BatchLoader::create(const config::DatasetConfig& config, int rank, int worldSize,
                                                         std::uint64_t seed, LoaderHooks hooks) {
    if (auto checked = checkConfig(config, rank, worldSize); !checked)
        return tl::unexpected(checked.error());
    auto set = readSet(config);
    if (!set)
        return tl::unexpected(set.error());
    auto clips = readManifests(config.noiseManifests, DurationKey::Optional);
    if (!clips)
        return tl::unexpected(clips.error());

    Shard shard;
    shard.utterances = *set;
    // Lightning gives its DistributedSampler the default drop_last false: what acts as drop_last is the loader's
    shard.options = {rank, worldSize, config.shuffle, false, seed};
    shard.size = shardSize((*set)->size(), worldSize, false);
    shard.batches = batchCount(shard.size, config.batchSize, config.dropLast);
    shard.batchSize = config.batchSize;
    if (shard.batches == 0)
        return fail(Errc::BadInput,
                    fmt::format("drop_last leaves no batch: {} utterances make {} a rank, batch_size is {}",
                                (*set)->size(), shard.size, config.batchSize),
                    fmt::format("{}", fmt::join(config.manifests, ", ")));
    auto maker = std::make_shared<BatchMaker>(config, NoiseBank(std::move(*clips), config.sampleRate), rank, seed);
    return std::make_unique<Loader>(std::move(shard), std::move(maker), std::move(hooks), config.numWorkers,
                                    config.prefetchFactor);
}

} // namespace rankscope::trainer
