// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/run_creation.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/launch/cleanup/leftover_files.h"
#include "core/launch/recording/run_info_reserve.h"
#include "core/launch/run/run_folder.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/format/limits.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

namespace rankscope::launch {

namespace fs = std::filesystem;

/// Links each checkpoint into the new folder, so that it does not depend on the old one; makes copies if links are not
/// possible. Checkpoints are replaced as a whole, never changed, so a change under one name does not affect the other.
/// With `only`, takes that checkpoint alone: it becomes the newest.
static Result<void> takeCheckpoints(const fs::path& from, const fs::path& to, const std::string& only) {
    RS_TRY_ASSIGN(const auto folder, GuardedFolder::open(from, GuardedFolder::Checkpoints));
    std::error_code ec;
    const auto names = folder.names(ec);
    for (auto name = names.begin(); !ec && name != names.end(); ++name) {
        if (!isCheckpointName(*name) || !folder.hasFile(*name) || (!only.empty() && *name != only))
            continue;
        fs::create_hard_link(from / *name, to / *name, ec);
        if (ec)
            fs::copy_file(from / *name, to / *name, ec);
    }
    return ec ? tl::unexpected(systemError("take the checkpoints of", from.string(), ec.value())) : Result<void>();
}

/// Returns the name under which a store is made.
static fs::path unfinishedStore(const RunPaths& run) {
    return run.dir / ".run.sqlite.new";
}

static void removeUnfinishedStore(const RunPaths& run) {
    std::error_code ec;
    for (const char* part : {"", "-wal", "-shm", "-journal"})
        fs::remove(unfinishedStore(run).string() + part, ec);
}

Result<void> createStore(const RunPaths& run, const RunInfo& info) {
    const store::RunMeta meta{info.id, info.worldSize, info.startNs, info.startRealtimeNs, info.totalSteps};
    removeUnfinishedStore(run);
    // closed again: the supervisor opens it under its own name
    auto created = store::RunWriter::open(unfinishedStore(run), meta).map([](store::RunWriter) {});
    if (created && ::rename(unfinishedStore(run).c_str(), run.store().c_str()) != 0)
        created = tl::unexpected(systemError("create", run.store().string(), errno));
    if (!created)
        removeUnfinishedStore(run);
    return created;
}

static Result<RunLock> fill(const RunPaths& run, const PreparedLaunch& plan, const RunInfo& info) {
    RS_TRY_ASSIGN(auto lock, RunLock::take(run.lock()));
    for (const auto& rank : plan.ranks)
        RS_TRY(makePrivateDirs(run.rank(rank.rank)));
    if (plan.info.watched())
        RS_TRY(makePrivateDirs(run.dir / "ranks"));
    else
        RS_TRY(makePrivateDirs(run.checkpoints()));
    if (!plan.checkpoints.empty())
        RS_TRY(takeCheckpoints(plan.checkpoints, run.checkpoints(), plan.checkpoint));
    if (!plan.configText.empty())
        RS_TRY(writeRunFile(run.config(), plan.configText));
    if (!plan.effectiveText.empty())
        RS_TRY(writeRunFile(run.effective(), plan.effectiveText));
    if (info.worldSize > 0)
        RS_TRY(createStore(run, info));
    RS_TRY(writeRunInfo(run, info));
    return lock;
}

/// Refuses to begin a run at a time that readers take for damage.
static Result<void> checkClock(const RunInfo& info) {
    if (info.startRealtimeNs >= 0 && info.startRealtimeNs <= telemetry::kLatestRealtimeNs)
        return {};
    const auto seconds = static_cast<std::time_t>(info.startRealtimeNs / 1'000'000'000);
    return fail(Errc::BadInput, {"this machine's clock is wrong: it shows {}; set it and try again",
                                 fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(seconds))});
}

Result<RunLock> adoptRunFolder(const PreparedLaunch& plan, const RunInfo& info) {
    RS_TRY(checkClock(info));
    RS_TRY_ASSIGN(auto lock, RunLock::take(plan.run.lock()));
    RunInfoReserve::removeLeftOver(plan.run); // of a supervisor that was killed
    RS_TRY(makePrivateDirs(plan.run.dir / "ranks"));
    RS_TRY(writeRunInfo(plan.run, info));
    return lock;
}

Result<RunLock> createRunFolder(const PreparedLaunch& plan, const RunInfo& info) {
    RS_TRY(checkClock(info));
    const fs::path runsDir = plan.run.dir.parent_path();
    RS_TRY(makePrivateDirs(runsDir));
    removeAbandonedLaunches(runsDir);
    const RunPaths aside{runsDir / ("." + plan.run.dir.filename().string())};
    if (::mkdir(aside.dir.c_str(), 0700) != 0)
        return tl::unexpected(systemError("create the run's folder", plan.run.dir.string(), errno));
    auto lock = fill(aside, plan, info);
    if (lock && ::rename(aside.dir.c_str(), plan.run.dir.c_str()) == 0)
        return lock;
    auto error = lock ? systemError("create the run's folder", plan.run.dir.string(), errno) : lock.error();
    removeRunFolder(aside);
    return tl::unexpected(std::move(error));
}

} // namespace rankscope::launch
