// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/training_set.h"

#include "core/base/values/result.h"
#include "core/trainer/data/sets/tar_shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope::trainer {

namespace {

using Warn = std::function<void(const std::string&)>;

struct Filtered {
    std::int64_t all = 0, tooShort = 0, tooLong = 0;
};

/// Returns the bucket's utterances that pass the filter. Row numbers continue over all buckets.
Result<std::vector<Utterance>> readBucket(const std::vector<std::string>& manifests,
                                          const config::DatasetConfig& config, Filtered& counts) {
    auto rows = readManifests(manifests, DurationKey::Required);
    if (!rows)
        return rows;
    for (Utterance& utterance : *rows)
        utterance.row += counts.all;
    counts.all += static_cast<std::int64_t>(rows->size());
    const DurationFilter filter(std::make_shared<ManifestSet>(std::move(*rows)), config.minDuration,
                                config.maxDuration);
    counts.tooShort += filter.tooShort();
    counts.tooLong += filter.tooLong();
    std::vector<Utterance> kept;
    kept.reserve(static_cast<std::size_t>(filter.size()));
    for (std::int64_t i = 0; i < filter.size(); ++i)
        kept.push_back(filter.get(i));
    return kept;
}

/// Puts the utterances in the order of their shards.
Result<std::vector<Utterance>> inShards(const std::vector<Utterance>& rows, const std::vector<std::string>& shards,
                                        BucketRange& range, const Warn& warn) {
    RS_TRY_ASSIGN(auto found, findInShards(rows, shards, warn));
    range.shardBegin = std::move(found.begin);
    for (std::int64_t& begin : range.shardBegin)
        begin += range.first;
    return std::move(found.utterances);
}

} // namespace

Result<TrainingSet> readTrainingSet(const config::DatasetConfig& config, const Warn& warn) {
    const auto& lists = config.buckets.size() > 1 ? config.buckets : config::PathLists{config.manifests};
    const auto& shards = config.tarred.shards;
    if (config.tarred.enabled && shards.size() != lists.size())
        return fail(Errc::BadInput, {"has {} buckets, manifest_filepath has {}", shards.size(), lists.size()},
                    "tarred_audio_filepaths");
    TrainingSet set;
    std::vector<Utterance> all;
    Filtered counts;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        auto rows = readBucket(lists[i], config, counts);
        BucketRange range{
            static_cast<std::int64_t>(all.size()), 0, rows ? static_cast<std::int64_t>(rows->size()) : 0, {}};
        if (rows && config.tarred.enabled)
            rows = inShards(*rows, shards[i], range, warn);
        if (!rows)
            return tl::unexpected(rows.error());
        range.size = static_cast<std::int64_t>(rows->size());
        all.insert(all.end(), std::make_move_iterator(rows->begin()), std::make_move_iterator(rows->end()));
        set.buckets.push_back(std::move(range));
    }
    if (all.empty())
        return fail(
            Errc::BadInput,
            config.tarred.enabled
                ? Message("none of the {} utterances is left: {} are shorter than min_duration {:g} s, {} longer than "
                          "max_duration {:g} s, the others are in no shard",
                          counts.all, counts.tooShort, config.minDuration, counts.tooLong, config.maxDuration)
                : Message("none of the {} utterances is left: {} are shorter than min_duration {:g} s, {} longer than "
                          "max_duration {:g} s",
                          counts.all, counts.tooShort, config.minDuration, counts.tooLong, config.maxDuration),
            fmt::format("{}", fmt::join(config.manifests, ", ")));
    set.utterances = std::make_shared<ManifestSet>(std::move(all));
    return set;
}

} // namespace rankscope::trainer
