// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/reports/run_report.h"
#include "app/ctl/reports/text_table.h"
#include "core/base/text/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/launch/figures/scaling_report.h"
#include "core/launch/run/launch_spec.h"

#include <fmt/format.h>

namespace rankscope::ctl {

using launch::ScalingReport;
using nlohmann::json;

static json scalingJson(const ScalingReport& r) {
    const auto& s = r.scaling;
    const auto usual = diagnosis::usualSpeedUp(s.ranks);
    return {{"run", r.run},
            {"baseline", r.baseline},
            {"ranks", s.ranks},
            {"speed_up", s.speedUp},
            {"usual", usual ? json{usual->first, usual->second} : json()},
            {"lost",
             {{"total", s.lost()},
              {"imbalance", s.imbalance},
              {"waiting", s.waiting},
              {"transfer", s.transfer},
              {"own_work", s.own}}},
            {"first_step", r.steps.first},
            {"last_step", r.steps.last},
            {"baseline_first_step", r.baselineSteps.first},
            {"baseline_last_step", r.baselineSteps.last},
            {"samples_per_second", r.work.perSecond()},
            {"baseline_samples_per_second", r.baselineWork.perSecond()},
            {"remarks", r.remarks}};
}

static std::string scalingText(const ScalingReport& r) {
    const auto& s = r.scaling;
    std::string text = fmt::format("{} ranks are {:.2f} times as fast as one alone", s.ranks, s.speedUp);
    if (const auto usual = diagnosis::usualSpeedUp(s.ranks))
        text += fmt::format("; usual is {:.1f} to {:.1f}", usual->first, usual->second);
    text += fmt::format("\nrun       {}, steps {} to {}\nbaseline  {}, steps {} to {}\n\n", printableLine(r.run),
                        formatCount(r.steps.first), formatCount(r.steps.last), printableLine(r.baseline),
                        formatCount(r.baselineSteps.first), formatCount(r.baselineSteps.last));
    using Align = Table::Align;
    Table table({{"lost", Align::Left},
                 {"of " + fmt::format("{:.2f}", static_cast<double>(s.ranks)), Align::Right},
                 {"because", Align::Left}});
    const auto row = [&](const char* what, double value, const char* because) {
        table.add({what, fmt::format("{:.2f}", value), because});
    };
    row("imbalance", s.imbalance, "the ranks' steps cost differently");
    row("waiting", s.waiting, "they meet several times a step");
    row("transfer", s.transfer, "collectives took time after the last rank had arrived");
    row("own work", s.own,
        s.own < 0 ? "gained: a rank computes faster than the one alone did"
                  : "a rank computes slower beside the others than alone");
    row("all", s.lost(), "");
    text += table.text();
    for (const auto& remark : r.remarks)
        text += fmt::format("note: {}\n", printableLine(remark));
    return text;
}

/// The run's own folder of runs, unless another was named.
static Result<std::filesystem::path> folderOf(const RunArgs& args, const launch::RunPaths& run) {
    return args.runsDir.empty() ? Result<std::filesystem::path>(run.dir.parent_path()) : runsDirOf(args.runsDir);
}

Result<int> scaling(const ScalingArgs& args) {
    RS_TRY_ASSIGN(const auto run, wholeRunOf(args.run));
    RS_TRY_ASSIGN(const auto runsDir, folderOf(args.run, run));
    std::optional<launch::RunPaths> baseline;
    if (!args.baseline.empty()) {
        RS_TRY_ASSIGN(const auto found, launch::findRun(runsDir, args.baseline));
        baseline = found;
    }
    RS_TRY_ASSIGN(const auto report, launch::scalingOf(run, baseline, runsDir));
    console::print("{}", args.run.json ? dumped(scalingJson(report)) + "\n" : scalingText(report));
    return launch::kDone;
}

} // namespace rankscope::ctl
