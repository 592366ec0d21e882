// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/scaling_report.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/config/effective/key_diff.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/result/launch_commands.h"
#include "core/store/read/run_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <thread>

namespace rankscope::launch {

namespace fs = std::filesystem;

using store::RunReader;
using store::StepInterval;

namespace {

constexpr std::int64_t kWarmUp = 5;      ///< first steps, which count only if there are few others
constexpr std::int64_t kFewestSteps = 3; ///< with fewer, a single odd step would decide the result

struct Opened {
    RunPaths paths;
    RunInfo info;
    std::string effective;
};

Result<Opened> openRun(const RunPaths& paths) {
    RS_TRY_ASSIGN(auto info, readRunInfo(paths));
    RS_TRY_ASSIGN(auto text, readRunFile(paths.effective()));
    return Opened{paths, std::move(info), std::move(text)};
}

/// Returns the steps that every rank finished, without the warm-up.
Result<StepInterval> stepsOf(RunReader& reader, const std::string& id) {
    RS_TRY_ASSIGN(auto ranks, reader.ranks());
    StepInterval steps{0, INT64_MAX - 1};
    for (const auto& rank : ranks)
        steps = {std::max(steps.first, rank.firstStep), std::min(steps.last, rank.lastStep)};
    if (ranks.empty() || steps.count() < kFewestSteps)
        return fail(Errc::BadInput, {"has too few steps to compare; {} are needed", kFewestSteps}, id);
    steps.first += std::min(kWarmUp, steps.count() - kFewestSteps);
    return steps;
}

Result<void> measureRun(const Opened& run, ScalingReport& report, diagnosis::WhatIfResult& replay) {
    RS_TRY_ASSIGN(auto reader, RunReader::open(run.paths.store()));
    RS_TRY_ASSIGN(auto steps, stepsOf(reader, run.info.id));
    RS_TRY_ASSIGN(const auto single, reader.singleStepsFrom());
    steps.first = std::max(steps.first, single);
    RS_TRY_ASSIGN(auto waits, reader.explainWaits(steps));
    replay = waits.replay;
    report.steps = {replay.firstStep, replay.lastStep};
    if (replay.steps == 0 || replay.steps != report.steps.count())
        return fail(Errc::Malformed,
                    {"of {} steps, {} lack a rank's collectives", steps.count(), steps.count() - replay.steps},
                    run.info.id);
    RS_TRY_ASSIGN(auto work, reader.workDone(report.steps));
    report.work = {work.samples, replay.observedNs};
    return {};
}

Result<void> measureBaseline(const Opened& run, ScalingReport& report) {
    RS_TRY_ASSIGN(auto reader, RunReader::open(run.paths.store()));
    RS_TRY_ASSIGN(auto steps, stepsOf(reader, run.info.id));
    RS_TRY_ASSIGN(auto work, reader.workDone(steps));
    report.baselineSteps = steps;
    report.baselineWork = work;
    return {};
}

bool computesOnCpu(const Opened& run) {
    auto reader = RunReader::open(run.paths.store());
    const auto ranks =
        reader ? reader->ranks() : Result<std::vector<store::RankSummary>>(tl::unexpected(reader.error()));
    return ranks && !ranks->empty() && ranks->front().device.starts_with("cpu");
}

/// Returns the threads that the plan gives each rank; 0: its device is not a CPU.
int threadsOf(const Opened& run) {
    auto recipe = config::readRecipe(run.effective, run.paths.effective().string());
    if (!recipe || !computesOnCpu(run))
        return 0;
    const int asked = recipe->rankscope.threadsPerRank;
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return asked > 0 ? asked : std::max(1, cores / std::max(run.info.worldSize, 1));
}

std::string commandFor(const Opened& run, const fs::path& runsDir) {
    std::string command = fmt::format("rankscopectl launch {} trainer.devices=1 ++trainer.num_nodes=1",
                                      plan::shellWord(run.paths.effective().string()));
    if (const int threads = threadsOf(run); threads > 0) // a single rank would otherwise take all cores
        command += fmt::format(" ++rankscope.threads_per_rank={}", threads);
    if (!run.info.faults.empty())
        command += ' ' + plan::shellWord("~rankscope.faults");
    return command + fmt::format(" --runs {}", plan::shellWord(runsDir.string()));
}

Result<Opened> findBaseline(const Opened& run, const fs::path& runsDir) {
    RS_TRY_ASSIGN(auto runs, listRuns(runsDir));
    Message nearest;
    for (const RunEntry& entry : runs) {
        if (!entry.problem.empty() || entry.info.worldSize != 1 || entry.info.host != run.info.host ||
            !entry.info.faults.empty() || isLive(entry.info.state))
            continue;
        auto candidate = openRun(entry.paths);
        if (!candidate)
            continue; // damaged; others may be usable
        const auto differing = config::workloadDiff(run.effective, candidate->effective);
        auto reader = RunReader::open(entry.paths.store());
        if (differing.empty() && reader && stepsOf(*reader, entry.info.id))
            return candidate;
        if (nearest.empty() && !differing.empty())
            nearest = {
                " ({} differs in {})", entry.info.id,
                fmt::format("{}",
                            fmt::join(differing.begin(),
                                      differing.begin() + std::min<std::ptrdiff_t>(3, std::ssize(differing)), ", "))};
    }
    return fail(Errc::NotFound,
                {"there is no run of one rank with the same recipe in {}{}. Create one with: {}", runsDir.string(),
                 nearest, commandFor(run, runsDir)},
                run.info.id);
}

void remark(const Opened& run, const Opened& baseline, ScalingReport& report) {
    const auto differing = config::workloadDiff(run.effective, baseline.effective);
    if (!differing.empty())
        report.remarks.push_back(fmt::format("the two recipes differ in {}", fmt::join(differing, ", ")));
    if (run.info.host != baseline.info.host)
        report.remarks.push_back(fmt::format("they ran on {} and {}", run.info.host, baseline.info.host));
    const int threads = threadsOf(run), alone = threadsOf(baseline);
    if (threads != alone)
        report.remarks.push_back(fmt::format("a rank of the run computes with {} threads, the baseline with {}: use "
                                             "the same rankscope.threads_per_rank for both",
                                             threads, alone));
    if (!run.info.faults.empty())
        report.remarks.emplace_back("the run had injected faults");
}

} // namespace

Result<ScalingReport> scalingOf(const RunPaths& paths, const std::optional<RunPaths>& baselinePaths,
                                const fs::path& runsDir) {
    RS_TRY_ASSIGN(auto run, openRun(paths));
    if (run.info.worldSize < 2)
        return fail(Errc::BadInput, "is itself a run of one rank; give a run of several ranks", run.info.id);
    RS_TRY_ASSIGN(auto baseline, baselinePaths ? openRun(*baselinePaths) : findBaseline(run, runsDir));
    if (baseline.info.worldSize != 1)
        return fail(Errc::BadInput, {"has {} ranks; a baseline must have one", baseline.info.worldSize},
                    baseline.info.id);
    ScalingReport report;
    report.run = run.info.id;
    report.baseline = baseline.info.id;
    diagnosis::WhatIfResult replay;
    RS_TRY(measureRun(run, report, replay));
    RS_TRY(measureBaseline(baseline, report));
    remark(run, baseline, report);
    report.scaling = diagnosis::scalingOf(replay, report.work.samples, report.baselineWork);
    if (report.scaling.speedUp <= 0)
        return fail(Errc::Malformed, "neither its steps nor the baseline's record how much audio they used",
                    report.run);
    return report;
}

} // namespace rankscope::launch
