// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/plan_report.h"

#include "app/ctl/reports/text_table.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/plan/cost/training_flops.h"

#include <fmt/format.h>

#include <cmath>

namespace rankscope::ctl {
namespace {

std::string seconds(double s) {
    return formatDuration(static_cast<std::int64_t>(std::min(s, 9e9) * 1e9));
}
std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

std::string processesText(const plan::Plan& p) {
    std::string text = fmt::format("{}: {} rank{} on {}{}{}\n", p.name, p.ranks, p.ranks == 1 ? "" : "s",
                                   p.device == "cuda" ? "GPUs" : "the CPU",
                                   p.nodes > 1 ? fmt::format(", on each of {} nodes", p.nodes) : "",
                                   p.machine.empty() ? "" : ", planned for " + p.machine);
    for (const plan::Process& process : p.processes) {
        text += fmt::format("  rank {} ({}):", process.rank, process.device);
        for (const auto& [name, value] : process.environment)
            text += fmt::format(" {}={}", name, value.find(' ') == std::string::npos ? value : "<" + value + ">");
        text += '\n';
    }
    return text;
}

std::string dataText(const plan::DataPlan& d) {
    const auto& f = d.facts;
    std::string text = fmt::format("\n{}\n", d.section);
    if (f.lines > 0)
        text += fmt::format("  {} lines: {} used, {} too short, {} too long, {} cannot be used\n", formatCount(f.lines),
                            formatCount(f.used), formatCount(f.tooShort), formatCount(f.tooLong), formatCount(f.bad));
    for (const Message& bad : f.firstBad)
        text += fmt::format("  {}\n", printableLine(bad.english()));
    if (f.used > 0)
        text += fmt::format("  {} of speech; an utterance has {:.1f} to {:.1f} s, half of them up to {:.1f} s, 95 % up "
                            "to {:.1f} s\n",
                            seconds(f.seconds), f.shortest, f.longest, f.median, f.p95);
    if (!d.problem.empty())
        return text + fmt::format("  no shares: {}\n", d.problem);
    Table table({">  rank", ">batches", ">utterances", ">speech", ">with padding", ">longest", ">waits for others"});
    for (const plan::RankShare& r : d.ranks)
        table.add({fmt::format("  {}", r.rank), formatCount(r.batches), formatCount(r.utterances),
                   seconds(r.speechSeconds), seconds(r.paddedSeconds), seconds(r.longestSeconds),
                   r.paddedSeconds + r.waitsSeconds > 0 ? percent(r.waitsSeconds / (r.paddedSeconds + r.waitsSeconds))
                                                        : "-"});
    text += "  the first epoch:\n" + table.text();
    return text + fmt::format("  padding is {} of what is computed; ranks lose {} waiting for longer batches\n",
                              percent(d.paddingShare), percent(d.imbalance));
}

std::string stepsText(const plan::StepsPlan& s) {
    std::string text = fmt::format("\nsteps\n  a step sees {} utterances of all ranks\n", formatCount(s.globalBatch));
    if (s.batchesPerEpoch > 0)
        text += fmt::format("  an epoch has {} batches a rank, {} steps\n", formatCount(s.batchesPerEpoch),
                            formatCount(s.stepsPerEpoch));
    text += s.totalSteps > 0 ? fmt::format("  the run has {} steps\n", formatCount(s.totalSteps))
                             : "  how many steps the run has is not known\n";
    if (s.validationEveryBatches > 0)
        text += fmt::format("  validation: {} batches, after every {}\n", formatCount(s.validationBatches),
                            formatCount(s.validationEveryBatches));
    return text;
}

std::string modelText(const plan::Plan& p) {
    std::string text = fmt::format("\nmodel\n  {} parameters are trained, {} are frozen\n",
                                   formatCount(p.model.trainable), formatCount(p.model.frozen));
    if (!p.model.problem.empty())
        text += fmt::format("  the trainer cannot build it: {}\n", p.model.problem);
    const plan::MemoryPlan& m = p.memory;
    text +=
        fmt::format("\nmemory of a rank, estimated\n  {} = weights {} + gradients {} + optimizer {} + activations of "
                    "the largest batch {} + program {}\n",
                    formatBytes(m.total), formatBytes(m.weights), formatBytes(m.gradients), formatBytes(m.optimizer),
                    formatBytes(m.activations), formatBytes(m.program));
    if (m.available > 0)
        text += fmt::format("  {} available for each\n", formatBytes(m.available));
    if (p.disk && p.disk->available >= 0)
        text += fmt::format("\ndisk\n  {}: at least {} needed, {} free\n", p.disk->folder, formatBytes(p.disk->needed),
                            formatBytes(p.disk->available));
    return text;
}

std::string speedText(const plan::Plan& p) {
    if (!p.speed)
        return "";
    const plan::SpeedPlan& s = *p.speed;
    std::string text =
        fmt::format("\nspeed, {}\n  {} a step", s.measuredSteps > 0 ? "measured" : "estimated", seconds(s.stepSeconds));
    if (s.epochSeconds > 0)
        text += fmt::format(", {} an epoch", seconds(s.epochSeconds));
    text += fmt::format("; {:.3g} hours of audio a second\n", s.audioPerSecond / 3600);
    if (s.measuredSteps > 0)
        text +=
            fmt::format("  measured just now on this machine, {} step{}: {}/s a rank\n", formatCount(s.measuredSteps),
                        s.measuredSteps == 1 ? "" : "s", plan::flopsText(s.flopsPerSecond));
    else
        text +=
            s.run.empty()
                ? fmt::format("  from {} a step and rank at {:.0f} % (assumed) of the GPU's {}/s, computing "
                              "alone\n",
                              plan::flopsText(s.flopsPerStep), 100 * s.share, plan::flopsText(s.peakFlops))
                : fmt::format("  as {} trained this model: {}/s a rank\n", s.run, plan::flopsText(s.flopsPerSecond));
    if (!s.ofManifest)
        text += "  of batches of batch_size x max_duration: the manifest is not known\n";
    return text;
}

std::string startText(const plan::Plan& p) {
    std::string text = "\nto start it\n";
    for (const plan::StartLine& line : p.start)
        text += fmt::format("  {}\n", line.command);
    return text;
}

std::string obstaclesText(const plan::Plan& p) {
    std::string text;
    for (const plan::Obstacle& o : p.obstacles)
        text += fmt::format("  {}: {}{}\n", o.refused ? "refused" : "fails", o.key.empty() ? "" : o.key + ": ",
                            printableLine(o.text));
    return text.empty() ? "" : "\nwhat stands against a launch\n" + text;
}

std::string collectivesText(const plan::Plan& p) {
    if (p.collectives.empty())
        return "\ncollectives: none, there is one rank\n";
    Table table({"  tag", "operation", "in", ">calls", ">bytes a rank", "the training thread"});
    for (const plan::CollectivePlan& c : p.collectives)
        table.add({"  " + c.tag, c.dtype.empty() ? c.op : c.op + " of " + c.dtype, c.phase,
                   fmt::format("{}{}", c.certain ? "" : "about ", formatCount(c.calls)), formatBytes(c.bytes),
                   c.blocks ? "waits" : "goes on"});
    return "\ncollectives of a step, from the second on\n" + table.text();
}

std::string settingsText(const config::Risk& risk) {
    std::string text;
    const auto add = [&](const config::RiskRemedy& one) {
        text += (text.empty() ? "" : " ") +
                (one.value.empty() ? fmt::format("~{}", one.key) : fmt::format("{}={}", one.key, one.value));
    };
    add(*risk.set);
    for (const config::RiskRemedy& one : risk.also)
        add(one);
    return text;
}

std::string risksText(const std::vector<config::Risk>& risks) {
    std::string text;
    for (const config::Risk& r : risks) {
        if (r.rule->severity == config::RiskSeverity::Info)
            continue;
        text += fmt::format("  {}: {}: {} [{}]\n", config::riskSeverityName(r.rule->severity), r.key,
                            r.reason.english(), r.rule->id);
        if (r.set)
            text += fmt::format("    {}\n", settingsText(r));
        else if (!r.rule->remedy.empty())
            text += fmt::format("    {}\n", r.rule->remedy.english());
    }
    return text.empty() ? "" : "\nrisks (docs/rules.md)\n" + text;
}

} // namespace

std::string planText(const plan::Plan& p) {
    std::string text = processesText(p) + dataText(p.train);
    if (p.validation)
        text += dataText(*p.validation);
    for (const plan::DataPlan& other : p.otherValidation)
        text += dataText(other);
    text += stepsText(p.steps) + modelText(p) + speedText(p) + collectivesText(p) + obstaclesText(p) +
            risksText(p.risks) + startText(p);
    for (const std::string& warning : p.warnings)
        text += fmt::format("\nnote: {}\n", warning);
    return text;
}

} // namespace rankscope::ctl
