// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/data_check.h"

#include "core/base/values/result.h"
#include "core/config/recipe/validation_sets.h"
#include "core/plan/data/audio_paths.h"
#include "core/plan/data/data_plan.h"
#include "core/plan/data/epoch_order.h"
#include "core/plan/data/manifest.h"
#include "core/plan/steps/step_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

namespace rankscope::launch {
namespace {

namespace fs = std::filesystem;

/// Rows checked before the start. Errors in later rows are left to the trainer, which reads every row in any case.
constexpr std::int64_t kCheckedRows = 200'000;
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

using MoreRows = std::function<bool(const plan::ManifestRow&)>;

/// Checks one manifest with the trainer's own reader: it exists, is a regular file, is not empty, and every line is
/// valid.
Result<void> checkManifest(const std::string& path, const std::string& key, plan::DurationKey duration,
                           const MoreRows& more) {
    auto checked = plan::checkManifest(path, duration, kCheckedRows, more);
    if (checked)
        return checked;
    Error error = checked.error();
    if (error.code == Errc::NotFound)
        error.what = "the manifest does not exist (relative paths start at the working folder)";
    error.where = fmt::format("{}: {}", key, error.where);
    return tl::unexpected(std::move(error));
}

Result<void> checkShard(const std::string& path, const std::string& key) {
    const std::string where = fmt::format("{}: {}", key, path);
    std::error_code ec;
    if (!fs::exists(path, ec))
        return fail(Errc::NotFound, "the tar file does not exist (relative paths start at the working folder)", where);
    if (!fs::is_regular_file(path, ec))
        return fail(Errc::BadInput, "is not a regular file; a shard is a tar file", where);
    return {};
}

/// Refuses a run from which more files are missing than it may leave out: it can end in its first epoch.
Result<void> checkAudio(const plan::AudioCheck& audio, double mostBroken, const std::string& key) {
    if (static_cast<double>(audio.missing) <= mostBroken * static_cast<double>(audio.looked))
        return {};
    return fail(Errc::NotFound,
                {"{} of the {} audio files checked do not exist (a relative path starts at the manifest's folder, or "
                 "at the working folder), but rankscope.max_broken_share allows only {:g} to be missing; the first is "
                 "{}",
                 audio.missing, audio.looked, mostBroken, audio.first},
                key);
}

/// Returns a number of batches that is enough for every check of the trainer section.
std::int64_t enoughBatches(const config::BatchLimit& limit, std::int64_t wanted) {
    const double share = limit.count < 0 && limit.share > 0 ? std::min(limit.share, 1.0) : 1.0;
    const double batches = std::ceil(static_cast<double>(std::max<std::int64_t>(wanted, 1)) / share) + 1;
    return batches < 1e15 ? static_cast<std::int64_t>(batches) : kAll;
}

class DataCheck {
public:
    DataCheck(const config::Recipe& recipe, int worldSize) : m_recipe(recipe), m_worldSize(worldSize) {}

    Result<void> run() {
        const auto& trainer = m_recipe.trainer;
        const bool counted = m_recipe.validation && trainer.valEveryNEpochs > 0;
        RS_TRY_ASSIGN(const auto inTraining,
                      batches("model.train_ds", plan::trainingData(m_recipe, m_worldSize),
                              enoughBatches(trainer.limitTrain, counted ? trainer.valEveryBatches : 1)));
        std::vector<std::int64_t> inValidation;
        bool known = inTraining.has_value();
        for (const auto& set : config::validationSets(m_recipe)) {
            RS_TRY_ASSIGN(const auto inSet,
                          batches("model.validation_ds", set.data, enoughBatches(trainer.limitVal, 1)));
            known = known && inSet.has_value();
            inValidation.push_back(inSet.value_or(0));
        }
        if (!inTraining.has_value())
            return {};
        RS_TRY_ASSIGN(const auto used, plan::trainingBatches(trainer, *inTraining));
        const auto validation = known ? plan::planValidation(trainer, used, inValidation) : plan::ValidationPlan();
        return validation ? Result<void>() : tl::unexpected(validation.error());
    }

private:
    /// Returns the batches of a rank's epoch, or `enough` if there are that many; none: tar files decide.
    Result<std::optional<std::int64_t>> batches(const std::string& section, const config::DatasetConfig& data,
                                                std::int64_t enough) {
        const std::string key = section + ".manifest_filepath";
        if (data.manifests.empty())
            return fail(Errc::BadInput, "no manifest is given; there is nothing to train on", key);
        const auto& lists = data.buckets.size() > 1 ? data.buckets : config::PathLists{data.manifests};
        const int sharing = m_recipe.trainer.useDistributedSampler ? m_worldSize : 1;
        const double rows = static_cast<double>(enough) * data.batchSize * sharing;
        const std::int64_t wanted = data.tarred.enabled               ? 0
                                    : lists.size() > 1 || rows > 1e15 ? kAll
                                                                      : static_cast<std::int64_t>(rows);
        std::vector<std::int64_t> begin{0};
        plan::AudioCheck audio;
        for (const auto& manifests : lists) {
            std::int64_t used = 0;
            for (const std::string& path : manifests)
                RS_TRY(readManifest(path, key, data, used, wanted, audio));
            begin.push_back(begin.back() + used);
        }
        RS_TRY(checkAudio(audio, data.maxBrokenShare, key));
        RS_TRY(otherFiles(section, data));
        if (data.tarred.enabled)
            return std::optional<std::int64_t>();
        return fromUtterances(section, data, begin);
    }

    static Result<void> readManifest(const std::string& path, const std::string& key, const config::DatasetConfig& data,
                                     std::int64_t& used, std::int64_t wanted, plan::AudioCheck& audio) {
        return checkManifest(
            path, key, plan::DurationKey::Required, [&, line = std::int64_t{0}](const plan::ManifestRow& row) mutable {
                if (!data.tarred.enabled)
                    audio.look(line++, row.path);
                used += plan::fits(row.duration, data.minDuration, data.maxDuration) == plan::DurationFit::Used ? 1 : 0;
                return used < wanted;
            });
    }

    static Result<void> otherFiles(const std::string& section, const config::DatasetConfig& data) {
        for (const auto& shards : data.tarred.shards)
            for (const auto& path : shards)
                RS_TRY(checkShard(path, section + ".tarred_audio_filepaths"));
        for (const auto& path : data.noiseManifests)
            RS_TRY(checkManifest(path, section + ".noise_manifest", plan::DurationKey::Optional, nullptr));
        return {};
    }

    Result<std::optional<std::int64_t>> fromUtterances(const std::string& section, const config::DatasetConfig& data,
                                                       const std::vector<std::int64_t>& begin) const {
        if (begin.back() == 0)
            return fail(Errc::BadInput,
                        {"no utterance is left: all are shorter than min_duration {:g} s or longer than "
                         "max_duration {:g} s",
                         data.minDuration, data.maxDuration},
                        fmt::format("{}.manifest_filepath: {}", section, data.manifests.front()));
        auto sampler = plan::batchesOf(data, begin, 0, m_worldSize, m_recipe.trainer.useDistributedSampler, 0);
        if (sampler)
            return std::optional(sampler->batches());
        Error error = sampler.error();
        error.where = section + "." + error.where;
        return tl::unexpected(std::move(error));
    }

    const config::Recipe& m_recipe;
    int m_worldSize;
};

} // namespace

Result<void> checkData(const config::Recipe& recipe, int worldSize) {
    return DataCheck(recipe, worldSize).run();
}

} // namespace rankscope::launch
