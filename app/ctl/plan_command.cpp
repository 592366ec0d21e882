// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands.h"
#include "app/ctl/plan_report.h"
#include "app/ctl/run_report.h"
#include "core/base/console.h"
#include "core/config/effective.h"
#include "core/launch/dry_run.h"
#include "core/launch/reached_before.h"
#include "core/launch/supervisor.h"

#include <fmt/format.h>

namespace rankscope::ctl {

Result<int> plan(const LaunchArgs& args) {
    launch::DryRunOptions options;
    options.ranks = args.ranks;
    options.overrides = args.overrides;
    if (!args.machine.empty()) {
        auto target = rankscope::plan::targetFromText(args.machine);
        if (!target)
            return tl::unexpected(target.error());
        options.target = std::move(*target);
        options.machine = options.target.node;
        if (options.target.nodes > 0)
            options.overrides.push_back(fmt::format("++trainer.num_nodes={}", options.target.nodes));
    } else {
        options.machine = launch::machineFacts();
        if (const auto runs = runsDirOf(args.runsDir)) // without one nothing is said of its space
            options.runsDir = *runs;
        options.reached = [runs = options.runsDir](const auto& plan, const auto& recipe) {
            return launch::reachedBefore(runs, plan, recipe);
        };
    }
    const auto effective = config::evaluateFile(args.config, options.overrides);
    if (!effective)
        return tl::unexpected(effective.error());
    const auto planned = launch::dryRun(*effective, args.config, options);
    if (!planned)
        return tl::unexpected(planned.error());
    if (args.json)
        console::print("{}\n", dumped(rankscope::plan::planJson(*planned)));
    else
        console::print("{}", planText(*planned));
    return launch::kDone;
}

} // namespace rankscope::ctl
