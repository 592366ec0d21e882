// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/run_commands.h"

#include "app/ctl/reports/run_report.h"
#include "app/ctl/reports/run_report_text.h"
#include "app/ctl/reports/text_table.h"
#include "core/base/text/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/launch/recovery/rank_collection.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/supervisor_life.h"
#include "core/store/report/replay_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <thread>

namespace rankscope::ctl {

using launch::RunEntry;
using nlohmann::json;
using store::ReplayReport;

static Result<RunReport> reportOf(const RunArgs& args, bool withStacks = false) {
    RS_TRY_ASSIGN(const auto run, runOf(args));
    return readReport(run, withStacks);
}

/// What the user calls it; empty: nothing of their own. Marks that cannot be read keep no run out of the list.
static std::string titleOf(const launch::RunPaths& run) {
    const auto marks = launch::readMarks(run);
    return marks ? marks->title : std::string();
}

static json entryJson(const RunEntry& e) {
    return {{"id", e.info.id},
            {"name", e.info.name},
            {"title", titleOf(e.paths)},
            {"path", e.paths.dir.string()},
            {"state", e.problem.empty() ? launch::runStateName(e.info.state) : "damaged"},
            {"cause", e.info.cause},
            {"supervisor", launch::supervisorLifeName(e.info.supervisor)},
            {"world_size", e.info.worldSize},
            {"total_steps", e.info.totalSteps},
            {"began_realtime_ns", e.info.startRealtimeNs},
            {"ended_realtime_ns", e.info.endRealtimeNs},
            {"faults", e.info.faults},
            {"tags", e.info.tags},
            {"problem", e.problem}};
}

Result<int> list(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto dir, runsDirOf(args.runsDir));
    RS_TRY_ASSIGN(const auto runs, launch::listRuns(dir));
    if (args.json) {
        json all = json::array();
        for (const auto& run : runs)
            all.push_back(entryJson(run));
        console::print("{}\n", dumped({{"runs", all}}));
        return launch::kDone;
    }
    using Align = Table::Align;
    Table table({{"run", Align::Left},
                 {"state", Align::Left},
                 {"ranks", Align::Right},
                 {"began", Align::Right},
                 {"cause", Align::Left}});
    for (const auto& run : runs) {
        const std::string age = formatDuration(launch::ageNs(run.info)) + " ago";
        const std::string remark = launch::supervisorRemark(run.info), title = titleOf(run.paths);
        const std::string id = title.empty() ? run.info.id : fmt::format("{} ({})", run.info.id, title);
        if (run.problem.empty())
            table.add({id, std::string(launch::runStateName(run.info.state)), std::to_string(run.info.worldSize), age,
                       remark.empty() ? run.info.cause : remark});
        else
            table.add({id, "damaged", "-", age, run.problem});
    }
    if (runs.empty())
        console::print("no runs in {}\n", dir.string());
    else
        console::print("{}", table.text());
    return launch::kDone;
}

Result<int> show(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto report, reportOf(args));
    if (args.json) {
        console::print("{}\n", dumped(reportJson(report)));
        return launch::kDone;
    }
    const std::string checks = checksText(report), memory = memoryText(report);
    console::print("{}\n{}\n{}{}{}{}{}\n{}", headerText(report), ranksText(report), checks, checks.empty() ? "" : "\n",
                   memory, memory.empty() ? "" : "\n", incidentsText(report, false), countersText(report));
    return launch::kDone;
}

Result<int> diagnose(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto report, reportOf(args, true));
    if (!report.storeProblem.empty() && report.ranks.empty())
        return fail(Errc::Malformed, report.storeProblem);
    if (!report.storeProblem.empty())
        console::printError("rankscopectl: {}\n", printableLine(report.storeProblem));
    if (args.json)
        console::print("{}\n", dumped({{"incidents", incidentsJson(report)},
                                       {"stacks", stacksJson(report)},
                                       {"store_behind", lagJson(report)}}));
    else
        console::print("{}{}", lagLine(report), incidentsText(report, true));
    return launch::kDone;
}

Result<int> collect(const CollectArgs& args) {
    RS_TRY_ASSIGN(const auto runs, runsDirOf(args.runsDir));
    launch::CollectOptions options{{args.folders.begin(), args.folders.end()}, args.config, runs, args.argv};
    RS_TRY_ASSIGN(const auto collected, launch::collect(options));
    for (const auto& remark : collected.remarks)
        console::printError("{}\n", printableLine(remark));
    const std::string path = collected.run.dir.string();
    if (args.json)
        console::print("{}\n", dumped({{"id", collected.info.id}, {"path", path}}));
    else
        console::writeBytes(path + "\n");
    return launch::kDone;
}

/// The supervisor keeps its own deadlines; this one only keeps a command from waiting for ever.
static Result<int> waitForEnd(const launch::RunPaths& run) {
    using namespace std::chrono_literals;
    constexpr int kWakeTries = 20;
    for (int tries = 0; tries < 1200; ++tries) {
        auto info = launch::readRunInfo(run);
        if (info && info->state == launch::RunState::Lost) { // its supervisor was killed meanwhile
            RS_TRY(launch::recover(run));
            info = launch::readRunInfo(run);
        }
        if (!info)
            return tl::unexpected(info.error());
        if (info->state == launch::RunState::Lost)
            return fail(Errc::Permission, "its supervisor is gone, and a run of another user is only viewed", info->id);
        if (info->supervisor == launch::SupervisorLife::Stopped && tries >= kWakeTries)
            return fail(Errc::Busy, launch::supervisorRemark(*info), info->id);
        if (!launch::isLive(info->state)) {
            console::print("{}\n", endText(*info));
            return launch::kDone;
        }
        std::this_thread::sleep_for(100ms);
    }
    return fail(Errc::Busy, "the run has not ended within two minutes; try --now", run.dir.string());
}

Result<int> stop(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto run, runOf(args));
    RS_TRY_ASSIGN(const auto before, launch::readRunInfo(run));
    RS_TRY(launch::requestStop(run, args.now));
    if (!launch::isLive(before.state) && before.state != launch::RunState::Lost) {
        console::print("had already ended, {}\n", endText(before));
        return launch::kDone;
    }
    return args.noWait ? Result<int>(launch::kDone) : waitForEnd(run);
}

static json replayJson(const ReplayReport& r, std::int64_t startNs) {
    json incidents = json::array(), differences = json::array(), gaps = json::array();
    for (const auto& in : r.incidents)
        incidents.push_back(diagnosis::toJson(in, startNs));
    for (const auto& d : r.differences)
        differences.push_back(
            {{"id", d.id},
             {"stored", d.stored.empty() ? json(nullptr) : json::parse(d.stored, nullptr, false)},
             {"replayed", d.replayed.empty() ? json(nullptr) : json::parse(d.replayed, nullptr, false)}});
    for (const auto& gap : r.gaps)
        gaps.push_back({{"after_round", gap.afterRound}, {"rounds", gap.rounds}});
    return {{"identical", r.identical()},
            {"rounds", r.rounds},
            {"pieces", r.pieces},
            {"bytes", r.bytes},
            {"detector_version", r.detectorVersion},
            {"same", r.same},
            {"differences", differences},
            {"not_recorded", r.unrecorded},
            {"gaps", gaps},
            {"incidents", incidents}};
}

/// The first field in which two canonical texts differ.
static std::string firstDifference(const ReplayReport::Difference& d) {
    if (d.stored.empty())
        return "it is not stored";
    if (d.replayed.empty())
        return "the replay has none";
    const json stored = json::parse(d.stored, nullptr, false), replayed = json::parse(d.replayed, nullptr, false);
    for (const auto& [key, value] : stored.items())
        if (replayed.value(key, json()) != value)
            return fmt::format("{} was {}, is {}", key, dumped(value), dumped(replayed.value(key, json())));
    return "the same figures in other words";
}

static std::string replayText(const ReplayReport& r) {
    std::string text =
        fmt::format("{} rounds diagnosed again from {} pieces ({} bytes), recorded by detector {}\n",
                    formatCount(r.rounds), formatCount(r.pieces), formatCount(r.bytes), r.detectorVersion);
    for (const auto& gap : r.gaps)
        text += fmt::format("{} rounds after round {} are not recorded any more\n", formatCount(gap.rounds),
                            formatCount(gap.afterRound));
    if (!r.unrecorded.empty())
        text += fmt::format("of incident {} what led to it is not recorded any more\n", fmt::join(r.unrecorded, ", "));
    if (r.otherStates > 0)
        text += fmt::format("{} groups began with another state than the detector comes to now\n", r.otherStates);
    for (const auto& d : r.differences)
        text += fmt::format("incident {} differs: {}\n", d.id, firstDifference(d));
    text += fmt::format("{} incident{} byte-identical{}\n", formatCount(r.same), r.same == 1 ? "" : "s",
                        r.identical() ? "" : fmt::format(", {} not", r.differences.size()));
    return text;
}

Result<int> replay(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto run, wholeRunOf(args));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto report, store::replay(reader));
    if (args.json)
        console::print("{}\n", dumped(replayJson(report, reader.meta().startNs)));
    else
        console::print("{}", replayText(report));
    return report.identical() ? launch::kDone : launch::kCheckFailed;
}

} // namespace rankscope::ctl
