// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/analysis_commands.h"

#include "app/ctl/reports/run_report_json.h"
#include "app/ctl/reports/run_report_text.h"
#include "app/ctl/reports/waits_report.h"
#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/process/process_identity.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/explain/explain.h"
#include "core/explain/report/explanation_json.h"
#include "core/explain/report/explanation_text.h"
#include "core/launch/figures/open_waits.h"
#include "core/launch/figures/scaling_report.h"
#include "core/launch/figures/step_batch.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/stacks/native_stack.h"
#include "core/launch/stacks/stack_json.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <vector>

namespace rankscope::ctl {

using launch::ScalingReport;
using nlohmann::json;

static Result<std::int64_t> nanoseconds(double seconds, const char* option) {
    if (!std::isfinite(seconds) || std::abs(seconds) > 1e9)
        return fail(Errc::BadInput, {"{} is not a time within a run", seconds}, option);
    return static_cast<std::int64_t>(seconds * 1e9);
}

static Result<store::StepInterval> stepsOf(store::RunReader& reader, const WaitsArgs& args) {
    if (!args.from && !args.to)
        return store::StepInterval{args.fromStep.value_or(0), args.toStep.value_or(INT64_MAX - 1)};
    const auto from = nanoseconds(args.from.value_or(0), "--from"), to = nanoseconds(args.to.value_or(1e9), "--to");
    if (!from || !to)
        return tl::unexpected(from ? to.error() : from.error());
    return reader.stepsBetween(*from, *to);
}

/// Adds the waits that the end of the run cut off, if they are in the steps or in the time that was asked for.
static Result<void> addWaitsAtEnd(const WaitsArgs& args, store::RunReader& reader, store::WaitReport& report) {
    RS_TRY_ASSIGN(const auto incidents, reader.incidents());
    RS_TRY_ASSIGN(const auto ranks, reader.ranks());
    launch::WaitsAtEnd atEnd = launch::waitsAtEnd(incidents, ranks);
    const std::int64_t startNs = reader.meta().startNs;
    const auto secondsOf = [startNs](std::int64_t ns) { return static_cast<double>(ns - startNs) * 1e-9; };
    const bool byTime = args.from || args.to;
    std::erase_if(atEnd.waits, [&](const diagnosis::OpenWait& wait) {
        return byTime
                   ? args.to.value_or(1e9) < secondsOf(wait.sinceNs) || args.from.value_or(0) > secondsOf(atEnd.endNs)
                   : wait.step < args.fromStep.value_or(0) || wait.step > args.toStep.value_or(INT64_MAX);
    });
    launch::addWaitsAtEnd(atEnd, startNs, report);
    return {};
}

Result<int> waits(const WaitsArgs& args) {
    if ((args.from || args.to) && (args.fromStep || args.toStep))
        return fail(Errc::BadInput, "give steps or seconds, not both", "--from-step, --from");
    RS_TRY_ASSIGN(const auto run, currentRunOf(args.run));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto steps, stepsOf(reader, args));
    RS_TRY_ASSIGN(auto report, reader.explainWaits(steps));
    const auto info = launch::readRunInfo(run);
    if (info && !launch::isLive(info->state))
        RS_TRY(addWaitsAtEnd(args, reader, report));
    printStoreHealth(reader, run);
    const bool known = !info || info->state != launch::RunState::Imported || !report.matrix.ranking().empty();
    if (args.run.json)
        console::print("{}\n", dumped(waitsJson(report)));
    else if (known)
        console::print("{}", waitsText(report));
    else
        console::say("it is unknown who waited for whom in an imported run: event files contain no collectives. Waits, "
                     "if the files have them, are in the curves");
    return launch::kDone;
}

static json batchJson(const launch::StepBatch& batch) {
    json utterances = json::array();
    for (const auto& one : batch.utterances)
        utterances.push_back(
            {{"file", one.file}, {"offset_s", one.offset}, {"duration_s", one.duration}, {"micro_batch", one.micro}});
    return {{"rank", batch.rank},
            {"step", batch.step},
            {"epoch", batch.epoch},
            {"basis", "recipe_and_seed"},
            {"seconds", batch.seconds()},
            {"remark", Message(batch.remark).english()},
            {"utterances", std::move(utterances)}};
}

static std::string batchText(const launch::StepBatch& batch) {
    Table table({right("offset"), right("duration"), "file"});
    const auto seconds = [](double s) { return console::text({"{:.2f} s", s}); };
    for (const auto& one : batch.utterances)
        table.add(
            {seconds(one.offset), one.duration > 0 ? seconds(one.duration) : console::text("to the end"), one.file});
    std::string text = lineOf({"step {} of epoch {} on rank {}: {} utterances, {:.1f} s of speech; derived from the "
                               "recipe and the seed",
                               batch.step, batch.epoch, batch.rank, batch.utterances.size(), batch.seconds()});
    if (!batch.remark.empty())
        text += lineOf({"but {}", batch.remark});
    return text + table.text();
}

Result<int> batch(const BatchArgs& args) {
    RS_TRY_ASSIGN(const auto run, currentRunOf(args.run));
    RS_TRY_ASSIGN(const auto found, launch::batchOfStep(run, args.step, args.rank));
    console::print("{}", args.run.json ? dumped(batchJson(found)) + "\n" : batchText(found));
    return launch::kDone;
}

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
    const auto usual = diagnosis::usualSpeedUp(s.ranks);
    std::string text =
        lineOf(usual ? Message("{} ranks are {:.2f} times as fast as one alone; {:.1f} to {:.1f} is usual", s.ranks,
                               s.speedUp, usual->first, usual->second)
                     : Message("{} ranks are {:.2f} times as fast as one alone", s.ranks, s.speedUp));
    const auto steps = [](const std::string& run, const store::StepInterval& of) {
        return Message("{}, steps {} to {}", run, Count{of.first}, Count{of.last});
    };
    text += labelled("run", steps(r.run, r.steps), 10) + labelled("baseline", steps(r.baseline, r.baselineSteps), 10);
    Table table({"lost to", right({"of {:.2f}", static_cast<double>(s.ranks)}), "because"});
    const auto row = [&](const Message& what, double value, const Message& because) {
        table.add({console::text(what), fmt::format("{:.2f}", value), console::text(because)});
    };
    row("imbalance", s.imbalance, "the ranks' steps take different times");
    row("waits", s.waiting, "they synchronize several times per step");
    row("transfer", s.transfer, "collectives took time after the last rank had arrived");
    row("own work", s.own,
        s.own < 0 ? Message("gained: a rank computes faster than a single rank did")
                  : Message("a rank computes slower alongside the others than alone"));
    row("all", s.lost(), "");
    text += "\n" + table.text();
    for (const auto& remark : r.remarks)
        text += lineOf({"note: {}", remark});
    return text;
}

/// Returns the folder that contains the run, unless another one was given.
static Result<std::filesystem::path> folderOf(const RunArgs& args, const launch::RunPaths& run) {
    return args.runsDir.empty() ? Result<std::filesystem::path>(run.dir.parent_path()) : runsDirOf(args.runsDir);
}

Result<int> scaling(const ScalingArgs& args) {
    RS_TRY_ASSIGN(const auto run, currentRunOf(args.run));
    RS_TRY_ASSIGN(const auto runsDir, folderOf(args.run, run));
    std::optional<launch::RunPaths> baseline;
    if (!args.baseline.empty()) {
        RS_TRY_ASSIGN(baseline, launch::findRun(runsDir, args.baseline));
    }
    RS_TRY_ASSIGN(const auto report, launch::scalingOf(run, baseline, runsDir));
    console::print("{}", args.run.json ? dumped(scalingJson(report)) + "\n" : scalingText(report));
    return launch::kDone;
}

/// Makes sure that the process ends, whatever libdwfl does with the files that it reads.
static void limitThisProcess(double seconds) {
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    ::alarm(static_cast<unsigned>(std::ceil(seconds)));
}

static Result<int> stacksOfProcess(int pid, bool asJson) {
    const launch::StackLimits limits;
    limitThisProcess(limits.seconds + 2);
    RS_TRY_ASSIGN(const auto stacks, launch::takeNativeStacks(pid, limits));
    console::print("{}", asJson ? dumped(launch::toJson(stacks)) + "\n"
                                : launch::stacksText(stacks.threads, stacks.threadsLeftOut, ""));
    return launch::kDone;
}

static Result<void> checkRank(const launch::RunInfo& info, int rank) {
    if (!launch::isLive(info.state) && info.state != launch::RunState::Lost)
        return fail(Errc::BadInput, "has ended, so there is no process to inspect; see 'rankscopectl diagnose'",
                    info.id);
    if (info.copied)
        return fail(Errc::BadInput, {"{}: there is no process to inspect", info.cause}, info.id);
    if (!launch::seesProcesses(info))
        return fail(Errc::BadInput, {"{}; inspect it there", launch::whereItRuns(info)}, info.id);
    if (rank >= static_cast<int>(info.rankPids.size()))
        return fail(Errc::BadInput, {"there is no rank {}; the run has {}", rank, info.rankPids.size()}, "--rank");
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
    RS_TRY_ASSIGN(const auto run, runOf({args.runsDir, args.run}));
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
                                 : "  " + found.error().message(console::outputLanguage()) + "\n");
    }
    if (args.json)
        console::print("{}\n", dumped({{"ranks", ranks}}));
    return problems > 0 ? launch::kCheckFailed : launch::kDone;
}

/// Writes how much has been read to a terminal, four times a second, and removes it at the end.
class ReadingLine {
public:
    ~ReadingLine() {
        if (m_shown)
            console::controlTerminal("\r\x1b[K");
    }
    bool operator()(std::int64_t done, std::int64_t all) {
        if (::isatty(STDERR_FILENO) == 0 || monotonicNs() - m_last < 250'000'000)
            return true;
        m_last = monotonicNs();
        m_shown = true;
        console::controlTerminal("\r\x1b[K");
        const Message line =
            all > 0 ? Message("read {} of {}", ByteSize{done}, ByteSize{all}) : Message("read {}", ByteSize{done});
        console::printError("{}", line.text(console::errorLanguage()));
        return true;
    }

private:
    std::int64_t m_last = monotonicNs();
    bool m_shown = false;
};

Result<int> explain(const ExplainArgs& args) {
    ReadingLine reading;
    explain::ExplainOptions options{{args.files.begin(), args.files.end()}, args.recipe, args.ranks, std::ref(reading)};
    RS_TRY_ASSIGN(const auto explanation, explain::explain(options));
    if (args.json)
        console::print("{}\n", dumped(explain::explanationJson(explanation)));
    else
        console::print(
            "{}", explain::explanationText(explanation, console::outputLanguage(), terminalWidth(STDOUT_FILENO, 100)));
    return explanation.verdict == explain::Verdict::NotEnoughData ? launch::kCheckFailed : launch::kDone;
}

} // namespace rankscope::ctl
