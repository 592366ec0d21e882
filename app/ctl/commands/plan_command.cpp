// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/reports/plan_report.h"
#include "app/ctl/reports/run_report.h"
#include "core/base/text/console.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/launch/figures/speed_calibration.h"
#include "core/launch/prepare/earlier_speed.h"
#include "core/launch/prepare/launch_preview.h"
#include "core/launch/run/launch_spec.h"
#include "core/plan/result/plan_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace rankscope::ctl {

/// As JSON for the window, a line that is rewritten on a terminal, else two lines.
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
        console::printError("measuring on this machine: step {} of {}{}", done, of, m_terminal ? "" : "\n");
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

Result<int> plan(const LaunchArgs& args) {
    launch::DryRunOptions options;
    options.ranks = args.ranks;
    options.overrides = args.overrides;
    if (!args.machine.empty()) {
        RS_TRY_ASSIGN(auto target, rankscope::plan::targetFromText(args.machine));
        options.target = std::move(target);
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
    if (args.calibrate > 0) {
        RS_TRY_ASSIGN(auto calibration, calibrated(args));
        options.reached = [measured = calibration](const auto& plan, const auto& recipe) {
            return measured.reached(plan, recipe);
        };
    }
    RS_TRY_ASSIGN(const auto effective, config::evaluateFile(args.config, options.overrides));
    RS_TRY_ASSIGN(const auto planned, launch::dryRun(effective, args.config, options));
    if (args.json)
        console::print("{}\n", dumped(rankscope::plan::planJson(planned)));
    else
        console::print("{}", planText(planned));
    return launch::kDone;
}

} // namespace rankscope::ctl
