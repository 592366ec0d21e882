// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/step_batch.h"

#include "core/base/values/result.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/data/data_plan.h"
#include "core/plan/data/epoch_order.h"
#include "core/plan/steps/step_schedule.h"
#include "core/store/read/run_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace rankscope::launch {
namespace {

namespace fs = std::filesystem;

/// Resolves a path. Relative paths started at the working folder of the launch, which is not recorded: they are looked
/// up from the current folder, and from the recipe's folder upwards.
fs::path found(const fs::path& file, const fs::path& recipe) {
    std::error_code ec;
    if (file.is_absolute() || fs::exists(file, ec))
        return file;
    for (fs::path folder = recipe.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        if (fs::path there = folder / file; fs::exists(there, ec))
            return there;
        if (folder == folder.parent_path())
            break;
    }
    return file;
}

/// Replaces the manifest's path by one that exists; an error if the manifest has changed since the run began.
Result<void> resolveManifest(std::string& file, const RunInfo& info) {
    const fs::path there = found(file, info.configPath);
    std::error_code ec;
    const std::int64_t written = writtenRealtimeNs(there, ec);
    if (ec)
        return fail(Errc::NotFound,
                    fs::path(file).is_absolute()
                        ? Message("the manifest no longer exists")
                        : Message("the manifest was found neither from this folder nor from the recipe's folder"),
                    file);
    if (written > info.startRealtimeNs)
        return fail(Errc::BadInput,
                    "the manifest was written after the run began: its contents at that time are unknown", file);
    file = there.string();
    return {};
}

Result<void> resolveManifests(config::DatasetConfig& data, const RunInfo& info) {
    for (auto& file : data.manifests)
        RS_TRY(resolveManifest(file, info));
    for (auto& bucket : data.buckets)
        for (auto& file : bucket)
            RS_TRY(resolveManifest(file, info));
    return {};
}

Result<store::StepRow> storedStep(const RunPaths& run, std::int64_t step, int rank) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    std::optional<store::StepRow> row;
    RS_TRY(reader.eachStep(rank, {step, step}, [&](const store::StepRow& one) {
        row = one;
        return Result<void>{};
    }));
    if (!row)
        return fail(Errc::NotFound, {"rank {} has no step {} in the store, or it was thinned out", rank, step},
                    run.dir.filename().string());
    return *row;
}

/// Returns the utterances at these positions among the utterances in use.
Result<std::map<std::int64_t, plan::ManifestRow>>
rowsAt(const config::DatasetConfig& data, std::vector<std::int64_t> wanted, const std::function<bool()>& cancelled) {
    std::sort(wanted.begin(), wanted.end());
    std::map<std::int64_t, plan::ManifestRow> rows;
    std::int64_t at = 0, lines = 0;
    const auto take = [&](Result<plan::ManifestRow> row) -> Result<void> {
        if (++lines % 4096 == 0 && cancelled && cancelled())
            return fail(Errc::Busy, "was cancelled", "the batch");
        if (!row || plan::fits(row->duration, data.minDuration, data.maxDuration) != plan::DurationFit::Used)
            return {};
        if (std::binary_search(wanted.begin(), wanted.end(), at))
            rows.emplace(at, std::move(*row));
        ++at;
        return {};
    };
    const auto& lists = data.buckets.size() > 1 ? data.buckets : config::PathLists{data.manifests};
    for (const auto& manifests : lists)
        for (const std::string& file : manifests)
            RS_TRY(plan::readManifestRows(file, plan::DurationKey::Required, take));
    return rows;
}

class Deriving {
public:
    Deriving(const RunInfo& info, const config::Recipe& recipe, config::DatasetConfig data, int rank,
             const std::function<bool()>& cancelled)
        : m_info(info), m_recipe(recipe), m_data(std::move(data)), m_rank(rank), m_cancelled(cancelled) {}

    Result<StepBatch> batch(const store::StepRow& measured) const {
        RS_TRY_ASSIGN(const auto durations, plan::readDurations(m_data, m_cancelled));
        const bool sharded = m_recipe.trainer.useDistributedSampler;
        RS_TRY_ASSIGN(const auto sampler, plan::batchesOf(m_data, durations.bucketBegin, m_rank, m_info.worldSize,
                                                          sharded, plan::orderSeed(m_recipe.trainer, m_rank)));
        RS_TRY_ASSIGN(const auto used, plan::trainingBatches(m_recipe.trainer, sampler.batches()));
        const plan::StepSchedule steps{used, std::max(1, m_recipe.trainer.accumulateGradBatches), -1, -1,
                                       sampler.batches()};
        StepBatch batch;
        batch.rank = m_rank;
        batch.step = measured.step;
        batch.epoch = measured.step / steps.stepsPerEpoch();
        if (measured.epoch >= 0 && measured.epoch != batch.epoch)
            return fail(Errc::BadInput,
                        {"step {} was in epoch {}; with the current manifests it would be in epoch {}", measured.step,
                         measured.epoch, batch.epoch},
                        m_info.id);
        const plan::BatchOrder order = sampler.order(static_cast<int>(batch.epoch));
        const std::int64_t inEpoch = measured.step % steps.stepsPerEpoch(), first = inEpoch * steps.accumulate;
        RS_TRY(fill(batch, order, first, steps.batchesOf(inEpoch)));
        batch.remark = remarkOf(batch, measured);
        return batch;
    }

private:
    Result<void> fill(StepBatch& batch, const plan::BatchOrder& order, std::int64_t first, int batches) const {
        const auto begin = order.begin[static_cast<std::size_t>(first)];
        const auto end = order.begin[static_cast<std::size_t>(first + batches)];
        const std::vector<std::int64_t> wanted(order.rows.begin() + begin, order.rows.begin() + end);
        RS_TRY_ASSIGN(const auto rows, rowsAt(m_data, wanted, m_cancelled));
        for (int micro = 0; micro < batches; ++micro)
            for (auto i = order.begin[static_cast<std::size_t>(first + micro)];
                 i < order.begin[static_cast<std::size_t>(first + micro + 1)]; ++i) {
                const auto row = rows.find(order.rows[static_cast<std::size_t>(i)]);
                if (row == rows.end())
                    return fail(Errc::BadInput, "a manifest changed while it was read", m_info.id);
                const plan::ManifestRow& one = row->second;
                batch.utterances.push_back({one.path, one.offset, one.duration, micro});
            }
        return {};
    }

    /// For a step with several batches, the rank's measurements are of the last one.
    std::string remarkOf(const StepBatch& batch, const store::StepRow& measured) const {
        const int last = batch.utterances.empty() ? 0 : batch.utterances.back().micro;
        double size = 0, longest = 0;
        for (const StepUtterance& one : batch.utterances)
            if (one.micro == last) {
                size += 1;
                longest = std::max(longest, one.duration);
            }
        const auto read = measured.value(store::Metric::BatchSize), samples = measured.value(store::Metric::SamplesMax);
        if (read && *read != size)
            return fmt::format("the rank trained on {:.0f} utterances, not on {:.0f}: files that cannot be read are "
                               "left out",
                               *read, size);
        const double rate = m_recipe.train.sampleRate > 0 ? m_recipe.train.sampleRate : m_recipe.model.sampleRate;
        const double seconds = samples && *samples > 0 && rate > 0 ? *samples / rate : longest;
        if (std::abs(seconds - longest) > 0.06 + 0.01 * longest)
            return fmt::format(
                "the rank's longest utterance lasted {:.2f} s; according to the manifest, it lasts {:.2f} s", seconds,
                longest);
        return {};
    }

    const RunInfo& m_info;
    const config::Recipe& m_recipe;
    config::DatasetConfig m_data;
    int m_rank;
    const std::function<bool()>& m_cancelled;
};

} // namespace

double StepBatch::seconds() const {
    double sum = 0;
    for (const StepUtterance& one : utterances)
        sum += one.duration;
    return sum;
}

Result<StepBatch> batchOfStep(const RunPaths& run, std::int64_t step, int rank,
                              const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(const auto info, recordedRunInfo(run));
    if (!info.importedFrom.empty() || info.state == RunState::Imported)
        return fail(Errc::Unsupported, "is imported: the contents of its batches are unknown", info.id);
    if (rank < 0 || rank >= info.worldSize)
        return fail(Errc::BadInput, {"there is no rank {}; the run has {}", rank, info.worldSize}, info.id);
    RS_TRY_ASSIGN(const auto recipe, recordedRecipe(run));
    if (!info.recipeFrom.empty())
        return fail(Errc::Unsupported,
                    "is not a run of Rankscope's trainer: the order in which the program draws its batches is unknown",
                    info.id);
    auto data = plan::trainingData(recipe, info.worldSize);
    if (data.tarred.enabled)
        return fail(Errc::Unsupported,
                    "trains on tar files: the order depends on the contents of each file, which are not recorded",
                    info.id);
    RS_TRY_ASSIGN(const auto measured, storedStep(run, step, rank));
    RS_TRY(resolveManifests(data, info));
    return Deriving(info, recipe, std::move(data), rank, cancelled).batch(measured);
}

} // namespace rankscope::launch
