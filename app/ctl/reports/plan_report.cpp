// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/plan_report.h"

#include "app/ctl/reports/collectives_report.h"
#include "app/ctl/reports/words.h"
#include "core/base/console/text_table.h"
#include "core/base/text/unit_format.h"
#include "core/plan/cost/training_flops.h"
#include "core/plan/result/launch_commands.h"

#include <fmt/format.h>

#include <cmath>

namespace rankscope::ctl {
namespace {

using console::text;

Duration seconds(double s) {
    return {static_cast<std::int64_t>(std::min(s, 9e9) * 1e9)};
}
Message percent(double share) {
    return {"{:.1f} %", 100 * share};
}

/// Returns a line below a heading.
std::string below(const Message& message) {
    return "  " + lineOf(message);
}
std::string heading(const Message& message) {
    return "\n" + lineOf(message);
}

std::string processesText(const plan::Plan& p) {
    Message first("{}: {} on {}", p.name, p.ranks == 1 ? Message("1 rank") : Message("{} ranks", p.ranks),
                  p.device == "cuda" ? Message("GPUs") : Message("the CPU"));
    if (p.nodes > 1)
        first = {"{}, on each of {} nodes", first, p.nodes};
    if (!p.machine.empty())
        first = {"{}, planned for {}", first, p.machine};
    std::string all = text(first) + "\n";
    for (const plan::Process& process : p.processes) {
        all += "  " + text({"rank {} ({}):", process.rank, process.device});
        for (const auto& [name, value] : process.environment)
            all += fmt::format(" {}={}", name, value.find(' ') == std::string::npos ? value : "<" + value + ">");
        all += '\n';
    }
    return all;
}

std::string dataText(const plan::DataPlan& d) {
    const auto& f = d.facts;
    std::string all = heading(d.section);
    if (f.lines > 0)
        all += below({"{} lines: {} used, {} too short, {} too long, {} unusable", Count{f.lines}, Count{f.used},
                      Count{f.tooShort}, Count{f.tooLong}, Count{f.bad}});
    for (const auto& bad : f.firstBad)
        all += below(bad);
    if (f.used > 0)
        all += below({"{} of speech; utterances last {:.1f} to {:.1f} s, half of them up to {:.1f} s, 95 % up to "
                      "{:.1f} s",
                      seconds(f.seconds), f.shortest, f.longest, f.median, f.p95});
    if (!d.problem.empty())
        return all + below({"no shards: {}", d.problem});
    Table table({right("rank"), right("batches"), right("utterances"), right("speech"), right("with padding"),
                 right("longest"), right("waits for others")},
                2);
    for (const plan::RankShare& r : d.ranks)
        table.add({std::to_string(r.rank), formatCount(r.batches), formatCount(r.utterances),
                   durationText(seconds(r.speechSeconds).ns), durationText(seconds(r.paddedSeconds).ns),
                   durationText(seconds(r.longestSeconds).ns),
                   r.paddedSeconds + r.waitsSeconds > 0
                       ? text(percent(r.waitsSeconds / (r.paddedSeconds + r.waitsSeconds)))
                       : "-"});
    all += below("the first epoch:") + table.text();
    return all + below({"padding makes up {} of the computed frames; ranks lose {} waiting for longer batches",
                        percent(d.paddingShare), percent(d.imbalance)});
}

std::string stepsText(const plan::StepsPlan& s) {
    std::string all = heading("steps") + below({"a step uses {} utterances across all ranks", Count{s.globalBatch}});
    if (s.batchesPerEpoch > 0)
        all += below({"an epoch has {} batches per rank, {} steps", Count{s.batchesPerEpoch}, Count{s.stepsPerEpoch}});
    all += below(s.totalSteps > 0 ? Message("the run has {} steps", Count{s.totalSteps})
                                  : Message("the number of steps of the run is unknown"));
    if (s.validationEveryBatches > 0)
        all += below(
            {"validation: {} batches, after every {}", Count{s.validationBatches}, Count{s.validationEveryBatches}});
    return all;
}

std::string modelText(const plan::Plan& p) {
    std::string all = heading("model") +
                      below({"{} trainable parameters, {} frozen", Count{p.model.trainable}, Count{p.model.frozen}});
    if (!p.model.problem.empty())
        all += below({"the trainer cannot build it: {}", p.model.problem});
    const plan::MemoryPlan& m = p.memory;
    all += heading("memory per rank, estimated") +
           below({"{} = weights {} + gradients {} + optimizer {} + activations of the largest batch {} + program {}",
                  ByteSize{m.total}, ByteSize{m.weights}, ByteSize{m.gradients}, ByteSize{m.optimizer},
                  ByteSize{m.activations}, ByteSize{m.program}});
    if (m.available > 0)
        all += below({"{} available to each", ByteSize{m.available}});
    if (p.disk && p.disk->available >= 0)
        all += heading("disk") + below({"{}: at least {} needed, {} free", p.disk->folder, ByteSize{p.disk->needed},
                                        ByteSize{p.disk->available}});
    return all;
}

/// Returns what the speed is derived from.
Message speedSource(const plan::SpeedPlan& s) {
    if (s.measuredSteps == 1)
        return {"measured just now on this machine, 1 step: {}/s per rank", plan::flopsText(s.flopsPerSecond)};
    if (s.measuredSteps > 0)
        return {"measured just now on this machine, {} steps: {}/s per rank", Count{s.measuredSteps},
                plan::flopsText(s.flopsPerSecond)};
    if (s.run.empty())
        return {"from {} per step and rank at {:.0f} % (assumed) of the GPU's {}/s, computing alone",
                plan::flopsText(s.flopsPerStep), 100 * s.share, plan::flopsText(s.peakFlops)};
    return {"as when {} trained this model: {}/s per rank", s.run, plan::flopsText(s.flopsPerSecond)};
}

std::string speedText(const plan::Plan& p) {
    if (!p.speed)
        return "";
    const plan::SpeedPlan& s = *p.speed;
    std::string all = heading(s.measuredSteps > 0 ? Message("speed, measured") : Message("speed, estimated"));
    const double audio = s.audioPerSecond / 3600;
    all += below(s.epochSeconds > 0
                     ? Message("{} per step, {} per epoch; {:.3g} hours of audio per second", seconds(s.stepSeconds),
                               seconds(s.epochSeconds), audio)
                     : Message("{} per step; {:.3g} hours of audio per second", seconds(s.stepSeconds), audio));
    all += below(speedSource(s));
    if (!s.ofManifest)
        all += below("for batches of batch_size x max_duration, since the manifest is unknown");
    return all;
}

std::string startText(const plan::Plan& p) {
    std::string all = heading("to start it");
    for (const plan::StartLine& line : p.start)
        all += fmt::format("  {}\n", line.command);
    return all;
}

std::string obstaclesText(const plan::Plan& p) {
    std::string all;
    for (const plan::Blocker& o : p.obstacles) {
        const std::string said =
            placed(o.key, Message(o.text).text(console::outputLanguage()), console::outputLanguage());
        all += below(o.refused ? Message("refused: {}", said) : Message("fails: {}", said));
    }
    return all.empty() ? "" : heading("problems that prevent a launch") + all;
}

std::string settingsText(const config::Risk& risk) {
    std::string all;
    const auto add = [&](const config::RiskRemedy& one) {
        const std::string word =
            one.value.empty() ? fmt::format("~{}", one.key) : fmt::format("{}={}", one.key, one.value);
        all += (all.empty() ? "" : " ") + plan::shellWord(word);
    };
    add(*risk.set);
    for (const config::RiskRemedy& one : risk.also)
        add(one);
    return all;
}

Message severityWord(config::RiskSeverity severity) {
    return severity == config::RiskSeverity::Danger ? Message("danger") : Message("caution");
}

std::string risksText(const std::vector<config::Risk>& risks) {
    std::string all;
    for (const config::Risk& r : risks) {
        if (r.rule->severity == config::RiskSeverity::Info)
            continue;
        all += below({"{}: {}: {} [{}]", severityWord(r.rule->severity), r.key, Message(r.reason), r.rule->id});
        if (r.set)
            all += fmt::format("    {}\n", settingsText(r));
        else if (!r.rule->remedy.empty())
            all += fmt::format("    {}\n", text(r.rule->remedy));
    }
    return all.empty() ? "" : heading("risks (page Risk rules of the documents)") + all;
}

} // namespace

std::string planText(const plan::Plan& p) {
    std::string all = processesText(p) + dataText(p.train);
    if (p.validation)
        all += dataText(*p.validation);
    for (const plan::DataPlan& other : p.otherValidation)
        all += dataText(other);
    all += stepsText(p.steps) + modelText(p) + speedText(p) + collectivesText(p.collectives) + obstaclesText(p) +
           risksText(p.risks) + startText(p);
    for (const auto& warning : p.warnings)
        all += heading({"note: {}", warning});
    return all;
}

} // namespace rankscope::ctl
