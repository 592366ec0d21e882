// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands.h"
#include "app/ctl/plan_report.h"
#include "app/ctl/run_report.h"
#include "core/base/console.h"
#include "core/config/effective.h"
#include "core/launch/dry_run.h"
#include "core/launch/supervisor.h"

#include <fmt/format.h>

namespace rankscope::ctl {

Result<int> plan(const LaunchArgs& args) {
    const auto effective = config::evaluateFile(args.config, args.overrides);
    if (!effective)
        return tl::unexpected(effective.error());
    launch::DryRunOptions options;
    options.ranks = args.ranks;
    options.machine = launch::machineFacts();
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
