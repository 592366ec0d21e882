// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/earlier_speed.h"

#include "core/base/files/guarded_folder.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/run_folder.h"
#include "core/plan/cost/training_flops.h"
#include "core/store/read/run_reader.h"

#include <algorithm>

namespace rankscope::launch {
namespace {

constexpr int kMostRuns = 100;
constexpr std::int64_t kWarmUp = 5, kFewestSteps = 10;

bool isComparable(const RunInfo& info, const plan::Plan& plan, const std::string& host) {
    return info.worldSize == plan.ranks && info.host == host && info.faults.empty() && info.importedFrom.empty() &&
           !isLive(info.state);
}

bool computesAlike(const config::Recipe& a, const config::Recipe& b) {
    return a.model.encoder == b.model.encoder && a.model.decoder == b.model.decoder &&
           a.model.preprocessor == b.model.preprocessor && a.model.sampleRate == b.model.sampleRate &&
           a.trainer.precision == b.trainer.precision && a.rankscope.threadsPerRank == b.rankscope.threadsPerRank;
}

/// Operations a second of one rank; 0: the store does not say.
double reachedBy(const RunPaths& run, const plan::Plan& plan, const config::Recipe& recipe) {
    auto reader = store::RunReader::open(run.store());
    const auto ranks = reader ? reader->ranks() : tl::unexpected(reader.error());
    if (!ranks || ranks->empty() || ranks->front().device.starts_with("cpu") != (plan.device == "cpu"))
        return 0;
    store::StepInterval steps{kWarmUp, INT64_MAX - 1};
    for (const auto& rank : *ranks)
        steps = {std::max(steps.first, rank.firstStep), std::min(steps.last, rank.lastStep)};
    if (steps.count() < kFewestSteps)
        return 0;
    const auto work = reader->workDone(steps);
    if (!work || work->samples <= 0 || work->lastedNs <= 0)
        return 0;
    const int accumulate = std::max(1, recipe.trainer.accumulateGradBatches);
    const double batches = static_cast<double>(steps.count()) * accumulate, size = recipe.train.batchSize;
    const double seconds = work->samples / recipe.model.sampleRate / plan.ranks / batches / size /
                           std::max(0.01, 1 - plan.train.paddingShare); // what is planned is padded, too
    return batches * plan::trainingFlops(recipe.model, size, seconds) / work->lastedNs * 1e9;
}

} // namespace

DryRunOptions::Reached reachedBefore(const std::filesystem::path& runsDir, const plan::Plan& plan,
                                     const config::Recipe& recipe) {
    const auto runs = runsDir.empty() ? Result<std::vector<RunEntry>>() : listRuns(runsDir);
    if (!runs)
        return {}; // there are none yet, or the folder cannot be read: the launch says so
    const std::string host = hostName();
    int looked = 0;
    for (const RunEntry& entry : *runs) {
        if (!entry.problem.empty() || !isComparable(entry.info, plan, host))
            continue;
        if (++looked > kMostRuns)
            break;
        const auto text = readRunFile(entry.paths.effective());
        const auto before = text ? config::readRecipe(*text, entry.info.id) : tl::unexpected(text.error());
        if (!before || !computesAlike(*before, recipe))
            continue;
        if (const double reached = reachedBy(entry.paths, plan, *before); reached > 0)
            return {entry.info.id, reached};
    }
    return {};
}

} // namespace rankscope::launch
