// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/reports/run_report.h"
#include "core/base/process/process_identity.h"
#include "core/base/text/console.h"
#include "core/base/values/result.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/supervisor_life.h"
#include "core/launch/stacks/native_stack.h"
#include "core/launch/stacks/stack_json.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

namespace rankscope::ctl {

using nlohmann::json;

/// Whatever the files that libdwfl reads make it do, it ends.
static void limitThisProcess(double seconds) {
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    ::alarm(static_cast<unsigned>(std::ceil(seconds)));
}

static Result<int> stacksOfProcess(int pid, bool asJson) {
    const launch::StackLimits limits;
    limitThisProcess(limits.seconds + 2);
    RS_TRY_ASSIGN(const auto stacks, launch::takeNativeStacks(pid, limits));
    if (asJson)
        console::print("{}\n", dumped(launch::toJson(stacks)));
    else
        console::print("{}", launch::stacksText(stacks.threads, stacks.threadsLeftOut, ""));
    return launch::kDone;
}

static Result<void> checkRank(const launch::RunInfo& info, int rank) {
    if (!launch::isLive(info.state) && info.state != launch::RunState::Lost)
        return fail(Errc::BadInput, "has ended: there is no process to look into; see 'rankscopectl diagnose'",
                    info.id);
    if (!launch::seesProcesses(info))
        return fail(Errc::BadInput, fmt::format("{}; look into it there", launch::whereItRuns(info)), info.id);
    if (rank >= static_cast<int>(info.rankPids.size()))
        return fail(Errc::BadInput, fmt::format("there is no rank {}; the run has {}", rank, info.rankPids.size()),
                    "--rank");
    return {};
}

static Result<launch::NativeStacks> stacksOfRank(const launch::RunInfo& info, std::size_t rank) {
    if (!isSameProcess(info.rankPids[rank], info.rankStartTicks[rank]))
        return fail(Errc::NotFound, "its process has ended", fmt::format("rank {}", rank));
    return launch::takeNativeStacks(info.rankPids[rank]);
}

Result<int> stacks(const StackArgs& args) {
    if (args.pid > 0)
        return stacksOfProcess(args.pid, args.json);
    if (args.run.empty())
        return fail(Errc::BadInput, "which run? Name it, or a process with --pid", "stacks");
    const auto runs = runsDirOf(args.runsDir);
    RS_TRY_ASSIGN(const auto run, launch::findRun(runs ? *runs : std::filesystem::path("."), args.run));
    RS_TRY_ASSIGN(const auto info, launch::readRunInfo(run));
    RS_TRY(checkRank(info, args.rank));
    json ranks = json::array();
    int problems = 0;
    for (std::size_t r = 0; r < info.rankPids.size(); ++r) {
        if (args.rank >= 0 && static_cast<int>(r) != args.rank)
            continue;
        const auto found = stacksOfRank(info, r);
        if (!found && args.rank >= 0)
            return tl::unexpected(found.error());
        json one = found ? launch::toJson(*found) : json{{"threads", json::array()}};
        one["rank"] = r;
        one["problem"] = found ? "" : found.error().message();
        ranks.push_back(std::move(one));
        problems += !found;
        if (!args.json)
            console::print("rank {}\n{}", r,
                           found ? launch::stacksText(found->threads, found->threadsLeftOut, "  ")
                                 : "  " + found.error().message() + "\n");
    }
    if (args.json)
        console::print("{}\n", dumped({{"ranks", ranks}}));
    return problems > 0 ? launch::kCheckFailed : launch::kDone;
}

} // namespace rankscope::ctl
