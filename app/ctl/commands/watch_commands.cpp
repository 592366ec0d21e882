// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/watch_commands.h"

#include "app/ctl/commands/supervised_run.h"
#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report_text.h"
#include "core/base/console/console.h"
#include "core/base/values/result.h"
#include "core/launch/command/observer_folder.h"
#include "core/launch/prepare/prepare_command.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/supervise/supervisor.h"
#include "core/plan/result/launch_commands.h"
#include "core/telemetry/board/control_page.h"

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace rankscope::ctl {

namespace fs = std::filesystem;

static launch::WatchOptions watchOptions(const WatchArgs& args) {
    launch::WatchOptions options;
    options.command = args.command;
    options.name = args.name;
    options.ranks = args.ranks;
    options.runsDir = args.runsDir;
    options.argv = args.argv;
    options.argv.insert(options.argv.end(), args.command.empty() ? 0 : 1, "--");
    options.argv.insert(options.argv.end(), args.command.begin(), args.command.end());
    options.stallSeconds = args.stallSeconds;
    options.joinSeconds = args.joinSeconds;
    options.stopGraceSeconds = args.stopGraceSeconds;
    options.onIncident = args.onIncident;
    options.forwards = !args.detach;
    return options;
}

std::vector<std::string> takeCommand(int& argc, char** argv) {
    std::vector<std::string> command;
    if (argc < 2 || std::string_view(argv[1]) != "run")
        return command;
    for (int i = 2; i < argc; ++i)
        if (std::string_view(argv[i]) == "--") {
            command.assign(argv + i + 1, argv + argc);
            argc = i;
        }
    return command;
}

/// Standard output belongs to the command, and its error output is shared with it.
static Result<int> watchCommand(const launch::PreparedLaunch& plan) {
    ProgressLine line(ProgressLine::Style::Beside);
    line.say({"watching the command; {}", plan.run.dir});
    auto code = launch::supervise(plan, [&](const launch::Progress& progress) { line.show(progress); });
    if (!code)
        return code;
    if (const auto info = launch::readRunInfo(plan.run))
        line.say({"{}; {}", endText(*info), plan.run.dir});
    return code;
}

static Result<int> runAs(const WatchArgs& args) {
    if (!args.others.empty())
        return fail(Errc::BadInput,
                    "is not an option; the command follows two dashes, as in: rankscopectl run -- python train.py",
                    args.others.front());
    RS_TRY_ASSIGN(const auto plan, launch::prepareCommand(watchOptions(args)));
    return args.detach ? superviseDetached(plan, args.json) : watchCommand(plan);
}

Result<int> runCommandLine(const WatchArgs& args) {
    return explained(runAs(args), args.json);
}

static Result<int> attachHere(const launch::PreparedLaunch& plan, bool asJson) {
    ProgressLine line;
    bool first = true;
    auto code = launch::supervise(plan, [&](const launch::Progress& progress) {
        if (std::exchange(first, false))
            console::sayError(
                {"watching the ranks that report to {}; Ctrl-C ends the watching, not the ranks", plan.run.dir});
        line.show(progress);
    });
    line.clear();
    if (code)
        printEnd(plan.run, asJson);
    return code;
}

static Result<int> attachAs(const WatchArgs& args) {
    RS_TRY_ASSIGN(const auto plan, launch::prepareAttach(args.folder, watchOptions(args)));
    return args.detach ? superviseDetached(plan, args.json) : attachHere(plan, args.json);
}

Result<int> attach(const WatchArgs& args) {
    return explained(attachAs(args), args.json);
}

/// A folder that has become a run holds its records already.
static Result<void> checkUnused(const launch::RunPaths& run) {
    std::error_code ec;
    if (!fs::exists(run.runJson(), ec))
        return {};
    RS_TRY_ASSIGN(const auto info, launch::readRunInfo(run));
    if (info.attached && launch::isLive(info.state))
        return {};
    return fail(Errc::BadInput, "is a run already: give a new folder", run.dir.string());
}

Result<int> observeEnvironment(const WatchArgs& args) {
    std::error_code ec;
    const launch::RunPaths run{fs::absolute(args.folder, ec).lexically_normal()};
    RS_TRY(checkUnused(run));
    RS_TRY(launch::makeReportFolder(run.dir));
    // ranks read it from the beginning: a supervisor that attaches later writes into the same page
    if (const auto page = telemetry::ControlPage::createOrUse(run.control()); !page)
        return tl::unexpected(page.error());
    RS_TRY_ASSIGN(const auto environment, launch::observerEnvironment(run.dir));
    for (const auto& [name, value] : environment)
        console::writeBytes("export " + name + "=" + plan::shellWord(value) + "\n");
    if (::isatty(STDOUT_FILENO) == 1)
        console::sayError("A shell takes these over with: eval \"$(rankscopectl observe-env FOLDER)\"");
    return launch::kDone;
}

} // namespace rankscope::ctl
