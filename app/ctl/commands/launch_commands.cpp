// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/launch_commands.h"

#include "app/ctl/commands/run_argument.h"
#include "app/ctl/commands/supervised_run.h"
#include "app/ctl/reports/plan_report.h"
#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report_json.h"
#include "core/base/console/console.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/recipe/fault_spec.h"
#include "core/launch/figures/speed_calibration.h"
#include "core/launch/prepare/launch_preview.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/launch/prepare/prepare_nemo.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/supervisor.h"
#include "core/plan/result/plan_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace rankscope::ctl {

static Result<int> launchHere(const launch::PreparedLaunch& plan, bool asJson) {
    ProgressLine line;
    bool first = true;
    auto code = launch::supervise(plan, [&](const launch::Progress& progress) {
        if (std::exchange(first, false))
            console::sayError(
                !plan.command.empty()
                    ? Message("NeMo trains with {}; {}", plan.command.front(), plan.run.dir)
                    : Message("{} on {}; {}",
                              plan.ranks.size() == 1 ? Message("1 rank") : Message("{} ranks", plan.ranks.size()),
                              plan.device, plan.run.dir));
        line.show(progress);
    });
    line.clear();
    if (code)
        printEnd(plan.run, asJson);
    return code;
}

static Result<std::vector<config::FaultConfig>> faultsOf(const LaunchArgs& args) {
    std::vector<config::FaultConfig> faults;
    for (const auto& text : args.faults) {
        RS_TRY_ASSIGN(const auto fault, config::parseFault(text));
        faults.push_back(fault);
    }
    return faults;
}

/// Returns the launch options. The first word is the recipe; if a run's own recipe is used, it is an override.
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

static Result<int> launchAs(const LaunchArgs& args) {
    auto options = optionsOf(args);
    RS_TRY_ASSIGN(options.faults, faultsOf(args));
    if (!args.resume.empty()) {
        RS_TRY_ASSIGN(const auto run, runOf({args.runsDir, args.resume}));
        RS_TRY_ASSIGN(const auto before, launch::currentRun(run));
        if (before.missing && before.missing->why.code == Errc::Busy) // its ranks may not have ended
            return tl::unexpected(before.missing->why);
        tellMissing(before);
        options.resume = run.dir;
        options.checkpoint = args.checkpoint;
    } else if (!args.relaunch.empty()) {
        RS_TRY_ASSIGN(const auto run, runOf({args.runsDir, args.relaunch}));
        options.relaunch = run.dir;
    } else if (args.config.empty()) {
        return fail(Errc::BadInput, "no recipe given; pass CONFIG, --resume RUN or --relaunch RUN", "launch");
    }
    if (args.trainer == "nemo")
        options.nemoPython = args.python;
    RS_TRY_ASSIGN(const auto plan,
                  options.nemoPython.empty() ? launch::prepareLaunch(options) : launch::prepareNemoLaunch(options));
    return args.detach ? superviseDetached(plan, args.json) : launchHere(plan, args.json);
}

Result<int> launch(const LaunchArgs& args) {
    return explained(launchAs(args), args.json);
}

/// Shows the calibration's progress: as JSON for the window, as one rewritten line on a terminal, else as two lines.
class CalibrationLine {
public:
    explicit CalibrationLine(bool asJson) : m_json(asJson), m_terminal(::isatty(STDERR_FILENO) == 1) {}
    ~CalibrationLine() {
        if (m_terminal && !m_json && m_told >= 0)
            console::controlTerminal("\r\033[K");
    }
    void show(std::int64_t done, std::int64_t of) {
        if (std::exchange(m_told, done) == done || (m_told > 0 && m_told < of && !m_json && !m_terminal))
            return;
        if (m_json)
            return console::printError("{}\n",
                                       nlohmann::json{{"event", "measuring"}, {"step", done}, {"of", of}}.dump());
        if (m_terminal)
            console::controlTerminal("\r\033[K");
        const Message said("measuring on this machine: step {} of {}", done, of);
        console::printError("{}{}", said.text(console::errorLanguage()), m_terminal ? "" : "\n");
    }

private:
    bool m_json, m_terminal;
    std::int64_t m_told = -1;
};

static Result<launch::Calibration> calibrated(const LaunchArgs& args) {
    if (!args.machine.empty())
        return fail(Errc::BadInput, "cannot be measured from here; leave --machine out", "--calibrate");
    launch::LaunchOptions options;
    options.config = args.config;
    options.overrides = args.overrides;
    options.ranks = args.ranks;
    CalibrationLine line(args.json);
    return launch::calibrate(options, args.calibrate, [&](std::int64_t done, std::int64_t of) { line.show(done, of); });
}

static Result<int> planAs(const LaunchArgs& args) {
    launch::DryRunOptions options;
    options.ranks = args.ranks;
    options.overrides = args.overrides;
    if (!args.machine.empty()) {
        RS_TRY_ASSIGN(options.target, rankscope::plan::targetFromText(args.machine));
        options.machine = options.target.node;
        if (options.target.nodes > 0)
            options.overrides.push_back(fmt::format("++trainer.num_nodes={}", options.target.nodes));
    } else {
        options.machine = launch::machineFacts();
        if (const auto runs = runsDirOf(args.runsDir)) // without one, its disk space is not reported
            options.runsDir = *runs;
        options.reached = [runs = options.runsDir](const auto& plan, const auto& recipe) {
            return launch::earlierSpeed(runs, plan, recipe);
        };
    }
    if (args.calibrate > 0) {
        RS_TRY_ASSIGN(auto calibration, calibrated(args));
        options.reached = [measured = calibration](const auto& plan, const auto& recipe) {
            return measured.reached(plan, recipe);
        };
    }
    RS_TRY_ASSIGN(const auto effective, config::evaluateFile(args.config, options.overrides));
    RS_TRY_ASSIGN(const auto planned, launch::dryRun(effective, args.config, options));
    console::print("{}", args.json ? dumped(rankscope::plan::planJson(planned)) + "\n" : planText(planned));
    return launch::kDone;
}

Result<int> plan(const LaunchArgs& args) {
    return explained(planAs(args), args.json);
}

} // namespace rankscope::ctl
