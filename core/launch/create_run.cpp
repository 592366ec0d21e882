// SPDX-License-Identifier: Apache-2.0
#include "core/launch/create_run.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

namespace rankscope::launch {

namespace fs = std::filesystem;

static Result<RunLock> fill(const RunPaths& run, const LaunchPlan& plan, const RunInfo& info) {
    auto lock = RunLock::take(run.lock());
    if (!lock)
        return lock;
    for (const auto& rank : plan.ranks)
        if (auto made = makePrivateDirs(run.rank(rank.rank)); !made)
            return tl::unexpected(made.error());
    if (auto made = makePrivateDirs(run.checkpoints()); !made)
        return tl::unexpected(made.error());
    if (auto written = writeFileAtomic(run.config(), plan.configText); !written)
        return tl::unexpected(written.error());
    if (auto written = writeFileAtomic(run.effective(), plan.effectiveText); !written)
        return tl::unexpected(written.error());
    if (auto written = writeRunInfo(run, info); !written)
        return tl::unexpected(written.error());
    return lock;
}

Result<RunLock> createRunFolder(const LaunchPlan& plan, const RunInfo& info) {
    const fs::path runsDir = plan.run.dir.parent_path();
    if (auto made = makePrivateDirs(runsDir); !made)
        return tl::unexpected(made.error());
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

void removeRunFolder(const RunPaths& run) {
    std::error_code ec;
    fs::remove_all(run.dir, ec);
}

} // namespace rankscope::launch
