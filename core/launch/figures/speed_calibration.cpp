// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/speed_calibration.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/config/recipe/recipe.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/launch/process/stop_signals.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/supervise/supervisor.h"
#include "core/plan/cost/training_flops.h"
#include "core/store/read/run_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace rankscope::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "rankscope-measure-";

/// Removes the folders of processes that were killed before they could do so.
void removeLeftOvers(const fs::path& parent) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(parent, ec)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kFolder) || entry.is_symlink(ec))
            continue;
        const int pid = std::atoi(name.c_str() + std::strlen(kFolder));
        if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH)
            fs::remove_all(entry.path(), ec); // a folder of another user cannot be removed and is left
    }
}

class TemporaryFolder {
public:
    static Result<TemporaryFolder> make() {
        std::error_code ec;
        const fs::path parent = fs::temp_directory_path(ec);
        if (ec)
            return fail(Errc::NotFound, {"there is no folder for temporary files: {}", ec.message()}, "TMPDIR");
        removeLeftOvers(parent);
        std::string path = (parent / fmt::format("{}{}-XXXXXX", kFolder, ::getpid())).string();
        if (!::mkdtemp(path.data()))
            return tl::unexpected(systemError("make a folder for the measurement", path, errno));
        return TemporaryFolder(path);
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder() {
        std::error_code ec;
        if (!m_path.empty())
            fs::remove_all(m_path, ec);
    }
    const fs::path& path() const { return m_path; }

private:
    explicit TemporaryFolder(fs::path path) : m_path(std::move(path)) {}
    fs::path m_path;
};

/// Turns off what the measurement must not include: validation, checkpoints, faults and the incident command.
std::vector<std::string> overridesOf(const LaunchOptions& options) {
    auto overrides = options.overrides;
    overrides.insert(overrides.end(), {"++trainer.limit_val_batches=0", "++trainer.num_sanity_val_steps=0",
                                       "++exp_manager.create_checkpoint_callback=false", "++rankscope.faults=[]",
                                       "++rankscope.on_incident=null"});
    return overrides;
}

Result<Calibration> measured(const RunPaths& run, const config::Recipe& recipe, std::int64_t steps, int ranks,
                             const Message& ending) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto known, reader.ranks());
    store::StepInterval taken{kWarmUpSteps, kWarmUpSteps + steps - 1};
    for (const auto& rank : known)
        taken = {std::max(taken.first, rank.firstStep), std::min(taken.last, rank.lastStep)};
    if (known.empty() || taken.count() < 1)
        return fail(Errc::NotFound,
                    {"ended before step {}, the first measured step: {}", kWarmUpSteps + 1,
                     ending.empty() ? Message("it has no more steps") : ending},
                    "the measurement");
    RS_TRY_ASSIGN(const auto work, reader.workDone(taken));
    if (work.samples <= 0 || work.lastedNs <= 0 || !(recipe.model.sampleRate > 0))
        return fail(Errc::NotFound, "has no steps with audio in them", "the measurement");
    Calibration result;
    result.steps = taken.count();
    result.batchesPerStep = std::max(1, recipe.trainer.accumulateGradBatches);
    result.lastedSeconds = work.lastedNs * 1e-9;
    result.audioSeconds =
        work.samples / recipe.model.sampleRate / ranks / (static_cast<double>(result.steps) * result.batchesPerStep);
    return result;
}

constexpr int kMostRuns = 100;
constexpr std::int64_t kEarlierWarmUp = 5, kFewestEarlierSteps = 10;

bool isComparable(const RunInfo& info, const plan::Plan& plan, const std::string& host) {
    return info.worldSize == plan.ranks && info.host == host && info.faults.empty() && info.importedFrom.empty() &&
           !isLive(info.state) && info.recipeFrom.empty(); // another program has another speed
}

bool computesAlike(const config::Recipe& a, const config::Recipe& b) {
    return a.model.encoder == b.model.encoder && a.model.decoder == b.model.decoder &&
           a.model.preprocessor == b.model.preprocessor && a.model.sampleRate == b.model.sampleRate &&
           a.trainer.precision == b.trainer.precision && a.rankscope.threadsPerRank == b.rankscope.threadsPerRank;
}

/// Returns the operations per second of one rank; 0: the store does not have them.
double reachedBy(const RunPaths& run, const plan::Plan& plan, const config::Recipe& recipe) {
    auto reader = store::RunReader::open(run.store());
    const auto ranks = reader ? reader->ranks() : tl::unexpected(reader.error());
    if (!ranks || ranks->empty() || ranks->front().device.starts_with("cpu") != (plan.device == "cpu"))
        return 0;
    store::StepInterval steps{kEarlierWarmUp, INT64_MAX - 1};
    for (const auto& rank : *ranks)
        steps = {std::max(steps.first, rank.firstStep), std::min(steps.last, rank.lastStep)};
    if (steps.count() < kFewestEarlierSteps)
        return 0;
    const auto work = reader->workDone(steps);
    if (!work || work->samples <= 0 || work->lastedNs <= 0)
        return 0;
    const int accumulate = std::max(1, recipe.trainer.accumulateGradBatches);
    const double batches = static_cast<double>(steps.count()) * accumulate, size = recipe.train.batchSize;
    const double seconds = work->samples / recipe.model.sampleRate / plan.ranks / batches / size /
                           std::max(0.01, 1 - plan.train.paddingShare); // the planned batches are padded, too
    return batches * plan::trainingFlops(recipe.model, size, seconds) / work->lastedNs * 1e9;
}

} // namespace

DryRunOptions::EarlierSpeed Calibration::reached(const plan::Plan& plan, const config::Recipe& recipe) const {
    const double size = std::max(1, recipe.train.batchSize);
    const double padded = audioSeconds / std::max(0.01, 1 - plan.train.paddingShare);
    const double flops =
        static_cast<double>(steps) * batchesPerStep * plan::trainingFlops(recipe.model, size, padded / size);
    return {{}, lastedSeconds > 0 ? flops / lastedSeconds : 0, steps};
}

Result<Calibration> calibrate(const LaunchOptions& options, std::int64_t steps,
                              const std::function<void(std::int64_t, std::int64_t)>& progress) {
    if (steps < 1 || steps > kMostCalibrationSteps)
        return fail(Errc::BadInput, {"is {}; give 1 to {} steps", steps, kMostCalibrationSteps}, "--calibrate");
    RS_TRY_ASSIGN(auto folder, TemporaryFolder::make());
    LaunchOptions mine = options;
    mine.overrides = overridesOf(options);
    mine.runsDir = folder.path();
    RS_TRY_ASSIGN(const auto launched, prepareLaunch(mine));
    const std::int64_t wanted = kWarmUpSteps + steps;
    bool enough = false, calledOff = false;
    Message ending;
    RS_TRY_ASSIGN(const auto code, supervise(launched, [&](const Progress& p) {
                      calledOff |= !enough && p.state == RunState::Stopping && p.step + 1 < wanted;
                      if (isLive(p.state))
                          progress(std::clamp<std::int64_t>(p.step + 1, 0, wanted), wanted);
                      else
                          ending = p.headline;
                      if (!enough && p.step + 1 >= wanted && p.state == RunState::Running)
                          enough = signalStop(::getpid(), false);
                  }));
    if (code == kStopped && calledOff)
        return fail(Errc::Busy, "was cancelled", "the measurement");
    if (code == kRankFailed)
        return fail(Errc::NotFound, {"ended: {}", ending}, "the measurement");
    RS_TRY_ASSIGN(const auto recipe, recordedRecipe(launched.run));
    return measured(launched.run, recipe, steps, static_cast<int>(launched.ranks.size()), ending);
}

DryRunOptions::EarlierSpeed earlierSpeed(const std::filesystem::path& runsDir, const plan::Plan& plan,
                                         const config::Recipe& recipe) {
    const auto runs = runsDir.empty() ? Result<std::vector<RunEntry>>() : listRuns(runsDir);
    if (!runs)
        return {}; // there are no runs yet, or the folder cannot be read, which the launch reports
    const std::string host = hostName();
    int looked = 0;
    for (const RunEntry& entry : *runs) {
        if (!entry.problem.empty() || !isComparable(entry.info, plan, host))
            continue;
        if (++looked > kMostRuns)
            break;
        const auto before = recordedRecipe(entry.paths);
        if (!before || !computesAlike(*before, recipe))
            continue;
        if (const double reached = reachedBy(entry.paths, plan, *before); reached > 0)
            return {entry.info.id, reached};
    }
    return {};
}

} // namespace rankscope::launch
