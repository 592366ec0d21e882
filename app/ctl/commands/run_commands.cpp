// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/run_commands.h"

#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report_json.h"
#include "app/ctl/reports/run_report_text.h"
#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/injected_fault.h"
#include "core/launch/figures/run_pace.h"
#include "core/launch/figures/store_lag.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/recovery/rank_collection.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "core/launch/supervise/progress_reporter.h"
#include "core/store/report/replay_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope::ctl {

using diagnosis::Incident;
using launch::RunEntry;
using nlohmann::json;
using store::ReplayReport;

static Result<RunReport> reportOf(const RunArgs& args, bool withStacks = false) {
    RS_TRY_ASSIGN(const auto run, runOf(args));
    return readReport(run, withStacks);
}

/// Returns the name given by the user; empty: none. A run with unreadable marks is still listed.
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
            {"cause", e.info.cause.english()},
            {"end_kind", launch::endKindName(e.info.reason.kind)},
            {"end_rank", e.info.reason.rank < 0 ? json(nullptr) : json(e.info.reason.rank)},
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
    if (const auto closed = launch::closedFolders(dir); closed > 0)
        console::sayError({"folders in {} that you cannot read, such as other users' runs: {}", dir, closed});
    if (args.json) {
        json all = json::array();
        for (const auto& run : runs)
            all.push_back(entryJson(run));
        console::print("{}\n", dumped({{"runs", all}}));
        return launch::kDone;
    }
    Table table({"run", "state", right("ranks"), right("began"), "cause"});
    for (const auto& run : runs) {
        const std::string age = console::text({"{} ago", Duration{launch::ageNs(run.info)}});
        const std::string title = titleOf(run.paths);
        const Message remark = launch::supervisorNotice(run.info), cause = run.info.cause, problem = run.problem;
        const std::string id = title.empty() ? run.info.id : console::text({"{} ({})", run.info.id, title});
        if (problem.empty())
            table.add({id, console::text(launch::stateTitle(run.info.state)), std::to_string(run.info.worldSize), age,
                       console::text(remark.empty() ? cause : remark)});
        else
            table.add({id, console::text("damaged"), "-", age, console::text(problem)});
    }
    console::print("{}", runs.empty() ? lineOf({"no runs in {}", dir}) : table.text());
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
    if (report.storeProblem && report.ranks.empty())
        return tl::unexpected(*report.storeProblem);
    if (report.storeProblem)
        tellError(*report.storeProblem);
    if (report.missing)
        tellError({report.missing->why.code, launch::missingText(*report.missing), {}});
    if (args.json)
        console::print("{}\n", dumped({{"incidents", incidentsJson(report)},
                                       {"stacks", stacksJson(report)},
                                       {"unwatched", report.unwatched},
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
        console::sayError(remark);
    const std::string path = collected.run.dir.string();
    if (args.json)
        console::print("{}\n", dumped({{"id", collected.info.id}, {"path", path}}));
    else
        console::writeBytes(path + "\n");
    return launch::kDone;
}

static Result<int> tellEnd(const launch::CurrentRun& ended, bool alreadyEnded = false) {
    console::say(alreadyEnded ? Message("had already ended: {}", endText(ended.info)) : endText(ended.info));
    tellMissing(ended);
    return launch::kDone;
}

/// Returns an error if the supervisor does not respond. A responsive one reports immediately that it is stopping; one
/// frozen with its container does not.
static Result<void> checkItAnswers(const launch::RunPaths& run, const launch::RunInfo& info, int tries) {
    constexpr int kWakeTries = 20, kAnswerTries = 50;
    constexpr std::int64_t kSilentNs = 10'000'000'000;
    if (info.supervisor == launch::SupervisorLife::Stopped && tries >= kWakeTries)
        return fail(Errc::Busy, launch::supervisorNotice(info), info.id);
    const std::int64_t nowNs = monotonicNs();
    const auto lag = tries >= kAnswerTries ? launch::storeLag(run, info, nowNs) : std::nullopt;
    if (!lag || lag->reason != launch::StoreLag::Reason::Silent || nowNs - lag->sinceNs < kSilentNs)
        return {};
    return fail(Errc::Busy,
                {"its supervisor (process {}) does not answer: it is frozen ('docker pause', a job scheduler) or "
                 "waiting for its disk; it stops the run as soon as it runs again",
                 info.supervisorPid},
                info.id);
}

/// Waits for the run's end. The supervisor has its own deadlines; this one only prevents a command from waiting
/// forever.
static Result<int> waitForEnd(const launch::RunPaths& run) {
    using namespace std::chrono_literals;
    for (int tries = 0; tries < 1200; ++tries) {
        const auto info = launch::readRunInfo(run);
        if (info && !launch::isLive(info->state)) {
            RS_TRY_ASSIGN(const auto ended, launch::currentRun(run)); // its supervisor may have been killed meanwhile
            return tellEnd(ended);
        }
        // a running supervisor rewrites run.json at its end
        if (!info && !launch::RunLock::supervisor(run.lock()))
            return tl::unexpected(info.error());
        if (info)
            RS_TRY(checkItAnswers(run, *info, tries));
        std::this_thread::sleep_for(100ms);
    }
    return fail(Errc::Busy, "the run has not ended within two minutes; try --now", run.dir.string());
}

Result<int> stop(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto run, runOf(args));
    const auto before = launch::readRunInfo(run);
    const auto asked = launch::requestStop(run, args.now);
    if (before && !launch::isLive(before->state) && !before->copied) { // whether it could be brought up to date or not
        RS_TRY_ASSIGN(const auto ended, launch::currentRun(run));
        return tellEnd(ended, before->state != launch::RunState::Lost);
    }
    RS_TRY(asked);
    return args.noWait ? Result<int>(launch::kDone) : waitForEnd(run);
}

static json replayJson(const ReplayReport& r, std::int64_t startNs, const std::vector<std::string>& faults) {
    json incidents = json::array(), differences = json::array(), gaps = json::array();
    for (const auto& in : r.incidents)
        incidents.push_back(diagnosis::toJson(in, startNs, faults));
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

/// Returns the first field in which two canonical texts differ.
static Message firstDifference(const ReplayReport::Difference& d) {
    if (d.stored.empty())
        return "it is not stored";
    if (d.replayed.empty())
        return "the replay has none";
    const json stored = json::parse(d.stored, nullptr, false), replayed = json::parse(d.replayed, nullptr, false);
    for (const auto& [key, value] : stored.items())
        if (replayed.value(key, json()) != value)
            return {"{} was {}, is {}", key, dumped(value), dumped(replayed.value(key, json()))};
    return "same values, different wording";
}

static Message verdict(const ReplayReport& r) {
    const Message same =
        r.same == 1 ? Message("1 incident byte-identical") : Message("{} incidents byte-identical", Count{r.same});
    return r.identical() ? same : Message("{}; {} not", same, r.differences.size());
}

static std::string replayText(const ReplayReport& r) {
    std::string text = lineOf({"{} rounds diagnosed again from {} segments ({} bytes), recorded by detector {}",
                               Count{r.rounds}, Count{r.pieces}, Count{r.bytes}, r.detectorVersion});
    for (const auto& gap : r.gaps)
        text += lineOf({"the {} rounds after round {} have been pruned", Count{gap.rounds}, Count{gap.afterRound}});
    if (!r.unrecorded.empty())
        text += lineOf({"the recording leading up to incident {} has been pruned",
                        fmt::format("{}", fmt::join(r.unrecorded, ", "))});
    if (r.otherStates > 0)
        text +=
            lineOf({"{} groups began in a different state from the one that the detector computes now", r.otherStates});
    for (const auto& d : r.differences) // a value may have several lines
        text += Message("incident {} differs: {}", d.id, firstDifference(d)).text(console::outputLanguage()) + "\n";
    return text + lineOf(verdict(r));
}

Result<int> replay(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto run, currentRunOf(args));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto report, store::replay(reader));
    RS_TRY_ASSIGN(const auto info, launch::readRunInfo(run));
    console::print("{}", args.json ? dumped(replayJson(report, reader.meta().startNs, info.faults)) + "\n"
                                   : replayText(report));
    return report.identical() ? launch::kDone : launch::kCheckFailed;
}

static constexpr auto kPeriod = std::chrono::milliseconds(300);

namespace {

class Watcher {
public:
    Watcher(launch::RunPaths run, bool asJson) : m_run(std::move(run)), m_json(asJson) {}

    Result<int> follow() {
        for (;;) {
            RS_TRY_ASSIGN(auto info, launch::readRunInfo(m_run));
            launch::CurrentRun now{std::move(info), std::nullopt};
            if (!launch::isLive(now.info.state)) { // its supervisor may have been killed: record the real end
                RS_TRY_ASSIGN(now, launch::currentRun(m_run));
            }
            look(now.info); // after reading the state, so that the store of an ended run is complete
            if (console::flush() != 0)
                return launch::kDone; // stdout was closed
            if (!launch::isLive(now.info.state)) {
                m_line.clear();
                tellMissing(now);
                return end(now.info);
            }
            std::this_thread::sleep_for(kPeriod);
        }
    }

private:
    void look(const launch::RunInfo& info) {
        m_faults = info.faults;
        m_progress.state = info.state;
        m_progress.totalSteps = info.totalSteps;
        if (m_reader && m_reader->outdated()) { // the writer has changed or is gone
            m_reader.reset();
            m_version = -1;
        }
        if (!m_reader)
            if (auto reader = store::RunReader::open(m_run.store()))
                m_reader.emplace(std::move(*reader));
        const std::int64_t version = m_reader ? m_reader->version() : -1;
        const bool moved = m_reader && version != m_version && takeStore();
        if (moved)
            m_version = version;
        printLag(info);
        updatePace(monotonicNs());
        tellProgress();
        if (moved)
            for (const Incident& incident : m_incidents)
                tellIncident(incident);
    }

    /// Reads ranks and incidents; returns false if they cannot be read now.
    bool takeStore() {
        const auto ranks = m_reader->ranks();
        auto incidents = m_reader->incidents();
        if (!ranks || !incidents)
            return false;
        m_incidents = std::move(*incidents);
        m_progress.step = ranks->empty() ? -1 : INT64_MAX;
        std::vector<std::optional<double>> losses;
        for (const auto& rank : *ranks) {
            m_progress.step = std::min(m_progress.step, rank.lastStep);
            losses.push_back(rank.lastLoss);
        }
        m_progress.loss = launch::meanLoss(losses);
        if (!m_sampleRate)
            m_sampleRate = launch::sampleRateOf(m_run);
        m_pace = launch::readPace(*m_reader, *ranks, m_incidents, *m_sampleRate);
        m_progress.stepsPerEpoch = launch::stepsPerEpochOf(m_run);
        return true;
    }

    /// While the store lags, neither a stall nor a rate can be reported.
    void updatePace(std::int64_t nowNs) {
        m_progress.nowNs = nowNs;
        m_progress.standstill = m_behind || !launch::isLive(m_progress.state) ? diagnosis::RunStall{}
                                                                              : diagnosis::currentStall(m_incidents);
        m_progress.stepsPerSecond = m_behind ? 0 : m_pace.steps.stepsPerSecond(nowNs);
        m_progress.audioPerSecond = m_pace.audioPerSecond(m_progress.stepsPerSecond);
    }

    /// Reports once when the store falls behind, and once when it has caught up.
    void printLag(const launch::RunInfo& info) {
        const auto lag = launch::storeLag(m_run, info, monotonicNs());
        const bool told = std::exchange(m_behind, lag.has_value());
        if (lag.has_value() == told)
            return;
        if (m_json)
            return print({{"event", lag ? "store_behind" : "store_complete"},
                          {"text", lag ? Message(launch::lagText(*lag)).english() : std::string()}});
        m_line.clear();
        if (lag)
            console::say({"The store is behind its ranks: {}. They keep training; what they measure is kept in their "
                          "journals.",
                          Message(launch::lagText(*lag))});
        else if (launch::isLive(info.state))
            console::say("The store has caught up.");
    }

    void tellProgress() {
        if (!m_json)
            return m_line.show(m_progress);
        const auto& p = m_progress;
        if (p.state != m_toldState)
            print({{"event", "state"}, {"state", launch::runStateName(p.state)}});
        if (p.step != m_toldStep)
            print(progressJson());
        m_toldState = p.state;
        m_toldStep = p.step;
    }

    json progressJson() const {
        const auto& p = m_progress;
        const bool knows = !p.standstill && p.stepsPerSecond > 0;
        const auto known = [&](double value) { return knows && value > 0 ? json(value) : json(nullptr); };
        const auto left = [&](std::int64_t steps) {
            return known(static_cast<double>(launch::timeOf(steps, p.stepsPerSecond)) * 1e-9);
        };
        return {{"event", "progress"},
                {"step", p.step + 1},
                {"total_steps", p.totalSteps},
                {"loss", p.loss && std::isfinite(*p.loss) ? json(*p.loss) : json(nullptr)},
                {"steps_per_second", known(p.stepsPerSecond)},
                {"audio_hours_per_second", known(p.audioPerSecond / 3600)},
                {"left_s", left(p.totalSteps - p.step - 1)},
                {"epoch_left_s", left(launch::leftOfEpoch(p.step + 1, p.stepsPerEpoch, p.totalSteps))}};
    }

    /// Reports an incident when it opens, when its cause changes, and when it closes.
    void tellIncident(const Incident& incident) {
        LastPrinted& told = m_told[incident.id];
        const bool closed = incident.closed != diagnosis::CloseReason::Open;
        if (!told.opened || (told.cause != incident.cause && !told.closed))
            print(told.opened ? "updated" : "opened", incident);
        if (closed && !told.closed)
            print("closed", incident);
        told = {true, closed, incident.cause};
    }

    void print(const char* event, const Incident& incident) {
        const std::int64_t start = m_reader->meta().startNs;
        if (m_json)
            return print({{"event", event}, {"incident", diagnosis::toJson(incident, start, m_faults)}});
        m_line.clear();
        const Language language = console::outputLanguage();
        const Message said =
            std::string_view(event) == "closed"
                ? Message("{} over after {} ({})", causeWord(incident.cause, language),
                          Duration{diagnosis::lastedNs(incident, incident.closedNs)},
                          closeReasonWord(incident.closed, language))
                : Message(diagnosis::sentence(incident, std::max(incident.detectedNs, incident.openedNs), m_faults));
        console::print("{}  {}", durationText(std::max<std::int64_t>(0, incident.openedNs - start)), lineOf(said));
    }
    static void print(const json& event) {
        console::print("{}\n", printableJson(event.dump(-1, ' ', false, json::error_handler_t::replace)));
    }

    Result<int> end(launch::RunInfo info) {
        m_line.clear();
        if (m_reader)
            RS_TRY(launch::judgeTraining(info, *m_reader));
        const bool done = info.state == launch::RunState::Finished || info.state == launch::RunState::Imported;
        const int code = done                                      ? launch::kDone
                         : info.state == launch::RunState::Stopped ? launch::kStopped
                                                                   : launch::kRankFailed;
        if (m_json)
            print({{"event", "end"},
                   {"state", launch::runStateName(info.state)},
                   {"cause", info.cause.english()},
                   {"exit_code", code}});
        else
            console::say(endText(info));
        return code;
    }

    struct LastPrinted {
        bool opened = false, closed = false;
        diagnosis::Cause cause = diagnosis::Cause::Unknown;
    };
    launch::RunPaths m_run;
    bool m_json;
    std::optional<store::RunReader> m_reader;
    std::int64_t m_version = -1; ///< of the store, when its incidents were read
    ProgressLine m_line;
    launch::Progress m_progress;
    launch::RunPace m_pace;
    std::vector<std::string> m_faults;  ///< of the run
    std::vector<Incident> m_incidents;  ///< all, as of the version
    std::optional<double> m_sampleRate; ///< of its recipe; none: not read yet
    std::optional<launch::RunState> m_toldState;
    std::int64_t m_toldStep = -1;
    bool m_behind = false;
    std::map<std::int64_t, LastPrinted> m_told;
};

} // namespace

Result<int> watch(const RunArgs& args) {
    RS_TRY_ASSIGN(auto run, runOf(args));
    return Watcher(std::move(run), args.json).follow();
}

} // namespace rankscope::ctl
