// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/commands/detach.h"
#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report.h"
#include "core/base/text/console.h"
#include "core/base/values/result.h"
#include "core/config/recipe/fault_spec.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/launch/supervise/supervisor.h"

#include <fmt/format.h>

namespace rankscope::ctl {

static void printWhere(const launch::RunPaths& run, bool asJson) {
    if (asJson)
        console::print("{}\n", dumped({{"id", run.dir.filename().string()}, {"path", run.dir.string()}}));
    else
        console::writeBytes(run.dir.string() + "\n");
    console::flush();
}

static void printEnd(const launch::RunPaths& run, bool asJson) {
    const auto report = readReport(run);
    if (!report) {
        complain(report.error());
        return;
    }
    if (asJson)
        console::print("{}\n", dumped(reportJson(*report)));
    else
        console::print("{}\n{}\n{}", headerText(*report), ranksText(*report), incidentsText(*report, false));
}

static Result<int> launchHere(const launch::LaunchPlan& plan, bool asJson) {
    ProgressLine line;
    bool first = true;
    const auto code = launch::supervise(plan, [&](const launch::Progress& progress) {
        if (std::exchange(first, false))
            console::printError("{} rank{} on {}; {}\n", plan.ranks.size(), plan.ranks.size() == 1 ? "" : "s",
                                plan.device, plan.run.dir.string());
        line.show(progress);
    });
    line.clear();
    if (code)
        printEnd(plan.run, asJson);
    return code;
}

static Result<int> launchDetached(const launch::LaunchPlan& plan, bool asJson) {
    RS_TRY(detach([&](Handshake& handshake) {
        ProgressLine line(true);
        const auto code = launch::supervise(plan, [&](const launch::Progress& progress) {
            if (!handshake.done())
                handshake.started(plan.run.dir / "supervisor.log");
            line.show(progress);
        });
        if (!code && !handshake.done())
            handshake.failed(code.error());
        return code.value_or(launch::kBadInput);
    }));
    printWhere(plan.run, asJson);
    return launch::kDone;
}

static Result<std::vector<config::FaultConfig>> faultsOf(const LaunchArgs& args) {
    std::vector<config::FaultConfig> faults;
    for (const auto& text : args.faults) {
        RS_TRY_ASSIGN(const auto fault, config::parseFault(text));
        faults.push_back(fault);
    }
    return faults;
}

/// The first word is the recipe, unless a run's own is taken and the word is an override.
static launch::LaunchOptions optionsOf(const LaunchArgs& args) {
    launch::LaunchOptions options;
    options.config = args.config;
    options.overrides = args.overrides;
    options.ranks = args.ranks;
    options.runsDir = args.runsDir;
    options.argv = args.argv;
    const bool isOverride = args.config.find('=') != std::string::npos || args.config.starts_with('~');
    if (!(args.resume.empty() && args.relaunch.empty()) && isOverride) {
        options.overrides.insert(options.overrides.begin(), args.config);
        options.config.clear();
    }
    return options;
}

Result<int> launch(const LaunchArgs& args) {
    auto options = optionsOf(args);
    RS_TRY_ASSIGN(auto faults, faultsOf(args));
    options.faults = std::move(faults);
    if (!args.resume.empty()) {
        RS_TRY_ASSIGN(const auto run, wholeRunOf({args.runsDir, args.resume}));
        options.resume = run.dir;
        options.checkpoint = args.checkpoint;
    } else if (!args.relaunch.empty()) {
        RS_TRY_ASSIGN(const auto run, runOf({args.runsDir, args.relaunch}));
        options.relaunch = run.dir;
    } else if (args.config.empty()) {
        return fail(Errc::BadInput, "names no recipe; give CONFIG, --resume RUN or --relaunch RUN", "launch");
    }
    RS_TRY_ASSIGN(const auto plan, launch::plan(options));
    return args.detach ? launchDetached(plan, args.json) : launchHere(plan, args.json);
}

} // namespace rankscope::ctl
