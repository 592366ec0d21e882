// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/run_creation.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/launch/run/run_folder.h"
#include "core/store/write/run_writer.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

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

static Result<RunLock> fill(const RunPaths& run, const PreparedLaunch& plan, const RunInfo& info) {
    RS_TRY_ASSIGN(auto lock, RunLock::take(run.lock()));
    for (const auto& rank : plan.ranks)
        RS_TRY(makePrivateDirs(run.rank(rank.rank)));
    RS_TRY(makePrivateDirs(run.checkpoints()));
    if (!plan.checkpoints.empty())
        RS_TRY(takeCheckpoints(plan.checkpoints, run.checkpoints(), plan.checkpoint));
    RS_TRY(writeRunFile(run.config(), plan.configText));
    RS_TRY(writeRunFile(run.effective(), plan.effectiveText));
    // a visible run has a complete store: a kill while SQLite makes the file would leave an invalid one
    const store::RunMeta meta{info.id, info.worldSize, info.startNs, info.startRealtimeNs, info.totalSteps};
    if (const auto created = store::RunWriter::open(run.store(), meta);
        !created) // closed again: the supervisor opens it
        return tl::unexpected(created.error());
    RS_TRY(writeRunInfo(run, info));
    return lock;
}

Result<RunLock> createRunFolder(const PreparedLaunch& plan, const RunInfo& info) {
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
