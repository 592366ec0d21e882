// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report.h"

#include "app/ctl/reports/text_table.h"
#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/recipe/position_table_memory.h"
#include "core/config/recipe/recipe.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/injected_fault.h"
#include "core/diagnosis/evidence/not_finite.h"
#include "core/launch/figures/open_waits.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/stacks/stack_json.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace rankscope::ctl {

using nlohmann::json;
using store::StackRow;

static constexpr std::size_t kThreadsAsText = 3;

std::int64_t RunReport::step() const {
    std::int64_t step = ranks.empty() ? -1 : INT64_MAX;
    for (const auto& rank : ranks)
        step = std::min(step, rank.lastStep);
    return step;
}

diagnosis::RunStall RunReport::standstill() const {
    return !launch::isLive(info.state) || lag ? diagnosis::RunStall{} : diagnosis::currentStall(incidents);
}

std::int64_t RunReport::notFiniteSince() const {
    return launch::isLive(info.state) && !lag ? diagnosis::notFiniteSince(incidents) : -1;
}

double RunReport::stepsPerSecond() const {
    const bool goesOn = launch::isLive(info.state) && !lag && !standstill();
    return goesOn ? pace.steps.stepsPerSecond(nowNs) : 0;
}

/// Returns the supervisor's notes on periods in which it did not run itself.
static Result<std::vector<std::string>> unwatchedNotes(store::RunReader& reader) {
    std::vector<std::string> texts;
    for (std::int64_t after = 0;;) {
        RS_TRY_ASSIGN(const auto notes, reader.notes(after, 1000));
        if (notes.empty())
            return texts;
        after = notes.back().id;
        for (const auto& note : notes)
            if (note.rank < 0 && note.text.starts_with(telemetry::kNotWatched))
                texts.push_back(note.text);
    }
}

static void readStore(RunReport& report, bool withStacks) {
    const auto& i = report.info;
    const store::RunMeta known{i.id, i.worldSize, i.startNs, i.startRealtimeNs, i.totalSteps};
    auto reader = store::RunReader::open(report.paths.store(), &known);
    if (!reader) {
        report.storeProblem = reader.error();
        return;
    }
    report.startNs = reader->meta().startNs;
    report.waitsAreSums = reader->meta().waitsAreSums;
    // a part that cannot be read is left out and reported; the others are still read
    const auto take = [&report](auto read, auto& into) {
        if (read)
            into = std::move(*read);
        else if (!report.storeProblem)
            report.storeProblem = read.error();
    };
    std::vector<store::CheckRow> checks;
    take(reader->ranks(), report.ranks);
    take(reader->incidents(), report.incidents);
    take(reader->counters(), report.counters);
    take(reader->validations(-1, 1'000'000), report.validations);
    take(store::readTrainingFigures(*reader, report.ranks), report.figures);
    take(reader->setLosses(), report.setLosses);
    take(reader->memory(), report.memory);
    take(reader->checks(), checks);
    store::LostTimeReader lost;
    bool counted = false;
    take(lost.advance(*reader), counted);
    report.lost = lost.soFar();
    take(store::failedCheckpoints(reader->source()), report.failedCheckpoints);
    if (const auto judged = launch::judgeTraining(report.info, *reader); !judged && !report.storeProblem)
        report.storeProblem = judged.error();
    if (launch::isLive(report.info.state)) {
        report.pace = launch::readPace(*reader, report.ranks, report.incidents, launch::sampleRateOf(report.paths));
        report.stepsPerEpoch = launch::stepsPerEpochOf(report.paths);
    }
    take(unwatchedNotes(*reader), report.unwatched);
    if (withStacks)
        take(reader->stacks(), report.stacks);
    report.checks = store::summarize(checks);
    if (auto checked = reader->checkQuickly(); !checked && !report.storeProblem)
        report.storeProblem = checked.error();
    if (const Message said = store::describe(reader->condition(), report.paths.store()); !said.empty())
        report.storeProblem = Error{Errc::Malformed, said, report.paths.store().string()};
}

void printStoreHealth(const store::RunReader& reader, const launch::RunPaths& run) {
    if (const Message said = store::describe(reader.condition(), run.store()); !said.empty())
        tellError({Errc::Malformed, said, run.store().string()});
}

Result<RunReport> readReport(const launch::RunPaths& run, bool withStacks) {
    RS_TRY_ASSIGN(auto current, launch::currentRun(run));
    RunReport report{run, std::move(current.info)};
    report.missing = std::move(current.missing);
    if (const auto marks = launch::readMarks(run)) // not part of the measurements: optional
        report.title = marks->title;
    report.startNs = report.info.startNs;
    readStore(report, withStacks);
    report.endNs = report.startNs;
    for (const auto& rank : report.ranks)
        report.endNs = std::max(report.endNs, report.startNs + rank.lastNs);
    report.nowNs = monotonicNs();
    report.lag = launch::storeLag(run, report.info, report.nowNs);
    if (!report.lag) { // else the sums end earlier, and the time in between is not known
        const auto waits = launch::readOpenWaits(run, report.info, report.nowNs);
        const auto clock = launch::activeClock(report.incidents, report.nowNs);
        launch::addOpenWaits(waits, report.nowNs, clock, report.ranks);
        launch::addOpenWaits(waits, report.nowNs, clock, report.startNs, report.ranks, report.lost);
    }
    if (report.lag)
        report.endNs = std::max(report.endNs, report.lag->sinceNs);
    else if (launch::isLive(report.info.state) && report.info.host.size())
        report.endNs = std::max(report.endNs, report.nowNs);
    return report;
}

/// Groups consecutive rows of one incident and rank.
static std::vector<std::vector<StackRow>> byRank(const std::vector<StackRow>& rows) {
    std::vector<std::vector<StackRow>> groups;
    for (const StackRow& row : rows) {
        if (groups.empty() || groups.back().front().incident != row.incident || groups.back().front().rank != row.rank)
            groups.emplace_back();
        groups.back().push_back(row);
    }
    return groups;
}

static bool refused(const std::vector<StackRow>& rows) {
    return rows.front().thread == 0;
}

/// Returns the main thread and further ones, up to the first whose callers are known.
static std::vector<launch::NativeThread> telling(std::vector<launch::NativeThread> threads) {
    std::size_t count = 1;
    while (count < std::min(threads.size(), kThreadsAsText) && threads[count - 1].frames.size() < 2)
        ++count;
    threads.resize(std::min(threads.size(), count));
    return threads;
}

static Message roleWord(const std::string& role) {
    return role == "holder" ? Message("holder") : role == "waiter" ? Message("waiter") : Message(role);
}

std::string stacksText(const RunReport& r, std::int64_t incident) {
    std::string out;
    for (const auto& rows : byRank(r.stacks)) {
        const StackRow& first = rows.front();
        if (first.incident != incident)
            continue;
        out += "     " + lineOf({"stack of rank {} ({}), {} into the run", first.rank, roleWord(first.role),
                                 Duration{first.takenNs}});
        if (refused(rows)) {
            out += "       " + lineOf({"none: {}", first.remark});
            continue;
        }
        const auto threads = launch::threadsOf(rows);
        const auto shown = telling(threads);
        out += launch::stacksText(shown, 0, "       ");
        const std::size_t left = threads.size() - shown.size();
        if (left > 0)
            out += "       " + lineOf(left == 1 ? Message("1 more thread with --json")
                                                : Message("{} more threads with --json", left));
    }
    return out;
}

json stacksJson(const RunReport& r) {
    json all = json::array();
    for (const auto& rows : byRank(r.stacks)) {
        const StackRow& first = rows.front();
        all.push_back({{"incident", first.incident},
                       {"rank", first.rank},
                       {"role", first.role},
                       {"taken_s", static_cast<double>(first.takenNs) * 1e-9},
                       {"problem", refused(rows) ? first.remark : ""},
                       {"threads", refused(rows) ? json::array() : launch::threadsJson(launch::threadsOf(rows))}});
    }
    return all;
}

/// Returns the memory of the position table; none if the run's recipe cannot be read.
static std::optional<config::PositionMemory> positions(const RunReport& r, bool& synced) {
    const auto recipe = launch::recordedRecipe(r.paths);
    if (!recipe)
        return std::nullopt;
    synced = recipe->model.encoder.syncMaxAudioLength;
    std::vector<std::int64_t> longest;
    for (const auto& rank : r.memory)
        longest.push_back(rank.longestFrames);
    return config::positionMemory(recipe->model, longest);
}

static std::string bytes(std::int64_t n) {
    return n < 0 ? "-" : formatBytes(n);
}

std::string memoryText(const RunReport& r) {
    if (std::none_of(r.memory.begin(), r.memory.end(), [](const auto& m) { return m.mostRssBytes >= 0; }))
        return {};
    const bool gpu = std::any_of(r.memory.begin(), r.memory.end(), [](const auto& m) { return m.mostGpuBytes >= 0; });
    std::vector<Column> header{right("rank"), right("memory"), right("most")};
    if (gpu)
        header.insert(header.end(), {right("GPU"), right("most"), right("of")});
    header.push_back(right("longest frames"));
    header.push_back(right("positions"));
    Table table(header);
    bool synced = false;
    const auto tables = positions(r, synced);
    for (std::size_t i = 0; i < r.memory.size(); ++i) {
        const auto& m = r.memory[i];
        std::vector<std::string> row{std::to_string(m.rank), bytes(m.rssBytes), bytes(m.mostRssBytes)};
        if (gpu)
            row.insert(row.end(), {bytes(m.gpuBytes), bytes(m.mostGpuBytes), bytes(m.gpuTotalBytes)});
        row.push_back(m.longestFrames > 0 ? formatCount(m.longestFrames) : "-");
        row.push_back(tables ? formatBytes(synced ? tables->syncedBytes : tables->aloneBytes[i]) : "-");
        table.add(std::move(row));
    }
    std::string out = table.text();
    const auto& first = r.memory.front();
    if (first.groupLimitBytes > 0)
        out += lineOf({"all ranks and other processes on this machine: {} of {} in use", ByteSize{first.groupUsedBytes},
                       ByteSize{first.groupLimitBytes}});
    if (tables && r.memory.size() > 1) {
        std::int64_t alone = 0;
        for (const std::int64_t own : tables->aloneBytes)
            alone += own;
        const auto all = tables->syncedBytes * static_cast<std::int64_t>(r.memory.size());
        out += lineOf({"position tables across all ranks: {} with the length sync, {} without it", ByteSize{all},
                       ByteSize{alone}});
    }
    return out;
}

static json known(std::int64_t n) {
    return n < 0 ? json(nullptr) : json(n);
}

json memoryJson(const RunReport& r) {
    bool synced = false;
    const auto tables = positions(r, synced);
    json ranks = json::array();
    for (std::size_t i = 0; i < r.memory.size(); ++i) {
        const auto& m = r.memory[i];
        ranks.push_back({{"rank", m.rank},
                         {"rss_bytes", known(m.rssBytes)},
                         {"most_rss_bytes", known(m.mostRssBytes)},
                         {"most_swap_bytes", known(m.mostSwapBytes)},
                         {"gpu_bytes", known(m.gpuBytes)},
                         {"most_gpu_bytes", known(m.mostGpuBytes)},
                         {"gpu_total_bytes", known(m.gpuTotalBytes)},
                         {"group_used_bytes", known(m.groupUsedBytes)},
                         {"group_limit_bytes", known(m.groupLimitBytes)},
                         {"longest_frames", m.longestFrames},
                         {"positions_synced_bytes", tables ? json(tables->syncedBytes) : json(nullptr)},
                         {"positions_alone_bytes", tables ? json(tables->aloneBytes[i]) : json(nullptr)}});
    }
    return ranks;
}

std::string lagLine(const RunReport& r) {
    if (!r.lag)
        return {};
    const Message since = r.lag->sinceNs == 0
                              ? Message("is behind its ranks")
                              : Message("ends {} ago", Duration{std::max<std::int64_t>(0, r.nowNs - r.lag->sinceNs)});
    return labelled("store", {"{}: {}. Later steps of the ranks are not known here; they are kept in the ranks' "
                              "journals",
                              since, Message(launch::lagText(*r.lag))});
}

json lagJson(const RunReport& r) {
    if (!r.lag)
        return nullptr;
    static constexpr const char* kReasons[] = {"supervisor_stopped", "cannot_write", "silent"};
    return {
        {"reason", kReasons[static_cast<std::size_t>(r.lag->reason)]},
        {"since_s", r.lag->sinceNs == 0 ? json(nullptr) : json(static_cast<double>(r.lag->sinceNs - r.startNs) * 1e-9)},
        {"text", Message(launch::lagText(*r.lag)).english()}};
}

static std::string clockTime(std::int64_t realtimeNs) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(realtimeNs / 1'000'000'000)));
}

static std::string validationText(const RunReport& r) {
    const auto& [last, best] = r.figures.validation;
    if (!last)
        return {};
    std::string out = labelled("val_loss", best && best->beginNs != last->beginNs
                                               ? Message("{:.4f} after step {}, best {:.4f} after step {}", last->loss,
                                                         Count{last->step}, best->loss, Count{best->step})
                                               : Message("{:.4f} after step {}", last->loss, Count{last->step}));
    for (const auto& set : r.setLosses)
        out += lineOf({"{} {:.4f} after step {}", set.tag, set.value, Count{set.step}});
    return out;
}

/// Returns "13.50 steps/s, 0.17 h of audio/s, 4 min 12 s left, 12 s of them in epoch 3", or
/// "5.22 steps/s, mean of the run" for an ended run; empty if not known.
static std::string rateLine(const RunReport& r) {
    if (!launch::isLive(r.info.state))
        return std::isfinite(r.figures.meanStepsPerSecond)
                   ? labelled("rate", {"{:.2f} steps/s, mean of the run", r.figures.meanStepsPerSecond})
                   : std::string();
    const double rate = r.stepsPerSecond();
    if (!(rate > 0))
        return {};
    const std::int64_t done = r.step() + 1, total = r.info.totalSteps;
    Message line("{:.2f} steps/s", rate);
    const auto add = [&](const Message& more) { line = {"{}, {}", line, more}; };
    if (const Message audio = launch::audioRateText(r.pace.audioPerSecond(rate)); !audio.empty())
        add(audio);
    if (total > done)
        add({"{} left", Duration{launch::timeOf(total - done, rate)}});
    if (const std::int64_t left = launch::leftOfEpoch(done, r.stepsPerEpoch, total); left > 0)
        add({"{} left of epoch {}", Duration{launch::timeOf(left, rate)}, *launch::epochAfter(done, r.stepsPerEpoch)});
    return labelled("rate", line);
}

/// Returns "lost     18.6 s to waiting, 24 % of 77.1 s, averaged over the ranks"; empty if not known.
static std::string lostLine(const RunReport& r) {
    if (r.lost.steps == 0)
        return {};
    const Duration lost{static_cast<std::int64_t>(r.lost.lostNs)}, of{r.lost.lastedNs};
    const double percent = 100 * r.lost.share();
    return lineOf(
        r.lost.estimated
            ? Message("lost     about {} to waiting, {:.1f} % of {}, averaged over the ranks", lost, percent, of)
            : Message("lost     {} to waiting, {:.1f} % of {}, averaged over the ranks", lost, percent, of));
}

static json lostJson(const RunReport& r) {
    if (r.lost.steps == 0)
        return nullptr;
    return {{"lost_s", r.lost.lostNs * 1e-9},
            {"share", r.lost.share()},
            {"of_s", static_cast<double>(r.lost.lastedNs) * 1e-9},
            {"steps", r.lost.steps},
            {"estimated", r.lost.estimated}};
}

static json paceJson(const RunReport& r) {
    const double rate = r.stepsPerSecond();
    const std::int64_t done = r.step() + 1;
    const auto known = [](double value) { return value > 0 ? json(value) : json(nullptr); };
    const auto left = [&](std::int64_t steps) {
        return known(static_cast<double>(launch::timeOf(steps, rate)) * 1e-9);
    };
    const auto standstill = r.standstill();
    return {{"stalled", standstill ? json{{"ranks", standstill.ranks},
                                          {"since_s", static_cast<double>(standstill.sinceNs - r.startNs) * 1e-9}}
                                   : json(nullptr)},
            {"steps_per_second", known(rate)},
            {"audio_hours_per_second", known(r.pace.audioPerSecond(rate) / 3600)},
            {"left_s", left(r.info.totalSteps - done)},
            {"steps_per_epoch", r.stepsPerEpoch > 0 ? json(r.stepsPerEpoch) : json(nullptr)},
            {"epoch_left_s", left(launch::leftOfEpoch(done, r.stepsPerEpoch, r.info.totalSteps))}};
}

/// Returns the state in words, with what must be said of it.
static Message stateText(const RunReport& r) {
    const auto standstill = r.standstill();
    Message state = standstill ? Message(diagnosis::standstillText(standstill, r.nowNs)) : endText(r.info);
    if (const Message remark = launch::supervisorNotice(r.info); !remark.empty())
        state = {"{}: {}", state, remark};
    if (const std::int64_t since = r.notFiniteSince(); since >= 0)
        state = {"{}; the loss has been NaN since step {}: stop the run", state, since};
    return state;
}

/// Returns the lines on what went wrong or is missing.
static std::string troublesText(const RunReport& r) {
    std::string out;
    const auto& failed = r.failedCheckpoints;
    if (failed.count == 1)
        out += labelled("failed", {"1 checkpoint could not be written; the newest: {}", failed.newest});
    else if (failed.count > 0)
        out += labelled("failed", {"{} checkpoints could not be written; the newest: {}", failed.count, failed.newest});
    for (const auto& fault : r.info.faults)
        out += labelled("fault", {"{} (asked for in the configuration)", fault});
    if (r.storeProblem)
        out += labelled("store", r.storeProblem->message(console::outputLanguage()));
    if (r.missing)
        out += labelled("missing", launch::missingText(*r.missing));
    return out + lagLine(r);
}

std::string headerText(const RunReport& r) {
    const auto& i = r.info;
    Message steps = r.step() < 0 ? Message("none yet") : Message("{}", Count{r.step() + 1});
    if (i.totalSteps > 0)
        steps = {"{} of {}", steps, Count{i.totalSteps}};
    const Duration lasted{
        std::max<std::int64_t>(0, i.endRealtimeNs ? i.endRealtimeNs - i.startRealtimeNs : launch::ageNs(i))};
    const std::string began = clockTime(i.startRealtimeNs);
    std::string out = labelled("run", i.id);
    if (!r.title.empty())
        out += labelled("title", r.title);
    out += labelled("state", stateText(r)) + labelled("steps", steps);
    out += labelled("began", i.endRealtimeNs ? Message("{}, lasted {}", began, lasted)
                                             : Message("{}, runs for {}", began, lasted));
    out += rateLine(r);
    out += lostLine(r);
    if (!i.resumedFrom.empty())
        out += labelled("resumed", {"from {}", i.resumedFrom});
    if (!i.relaunchedFrom.empty())
        out += labelled("repeats", i.relaunchedFrom);
    return out + validationText(r) + troublesText(r) + labelled("folder", r.paths.dir.string());
}

static std::string waitText(std::int64_t ns) {
    return ns > 0 ? durationText(ns) : "-";
}

static Message rankEnd(const RunReport& r, const store::RankSummary& rank) {
    if (!rank.ended)
        return launch::isLive(r.info.state)                 ? Message("runs")
               : r.info.state == launch::RunState::Imported ? Message("imported")
                                                            : Message("cut off");
    static const Message ends[] = {"finished", "stopped", "failed"};
    const Message& end = ends[std::min<std::size_t>(static_cast<std::size_t>(rank.endCause), 2)];
    if (rank.endText.empty())
        return end;
    // the text often already says how it ended
    return rank.endText.starts_with(end.english()) ? Message(rank.endText) : Message("{}: {}", end, rank.endText);
}

std::string ranksText(const RunReport& r) {
    Table table(
        {right("rank"), "device", right("steps"), right("last loss"), right("waited"), right("held others"), "end"});
    for (const auto& rank : r.ranks)
        table.add({std::to_string(rank.rank), rank.device, formatCount(rank.lastStep + 1),
                   rank.lastStep < 0 ? "-" : fmt::format("{:.4f}", rank.lastLoss), waitText(rank.waitedNs),
                   waitText(rank.heldNs), console::text(rankEnd(r, rank))});
    std::string out = table.text();
    if (r.waitsAreSums)
        out += lineOf("an older version recorded this run: overlapping waits are counted more than once");
    return out;
}

static Message untilText(const RunReport& r, const diagnosis::Incident& i) {
    if (i.closedNs)
        return {"{}, {}", Duration{i.closedNs - r.startNs}, closeReasonWord(i.closed, console::outputLanguage())};
    return r.lag ? Message("was open at the last update; current state unknown") : Message("still open");
}

std::string incidentsText(const RunReport& r, bool evidence) {
    std::string out;
    if (r.incidents.empty())
        out = lineOf(r.info.state == launch::RunState::Imported ? diagnosis::noneImported() : Message("no incidents"));
    const Language language = console::outputLanguage();
    for (const auto& i : r.incidents) {
        const std::int64_t now = i.closedNs ? i.closedNs : r.endNs;
        out += lineOf({"{}. {}, from {} to {}", i.id, causeWord(i.cause, language), Duration{i.openedNs - r.startNs},
                       untilText(r, i)});
        out += "   " + lineOf(diagnosis::sentence(i, now, r.info.faults));
        if (!evidence)
            continue;
        const auto facts = toJson(i.evidence);
        for (const auto& [key, value] : facts.items())
            out += fmt::format("     {}: {}\n", printableLine(key),
                               value.is_string() ? printableLine(value.get<std::string>()) : dumped(value));
        out += stacksText(r, i.id);
    }
    for (const auto& note : r.unwatched)
        out += lineOf(note);
    return out;
}

std::string checksText(const RunReport& r) {
    static constexpr const char* kMarks[] = {"✓", "✗", "–"};
    std::vector<std::string> names;
    int width = 0;
    for (const auto& check : r.checks) {
        names.push_back(console::text(checkWord(check.name, console::outputLanguage())));
        width = std::max(width, displayWidth(names.back()));
    }
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) { // not a table: the text is long
        const auto& check = r.checks[i];
        const Message status = store::checkStatusTitle(check.status);
        out += fmt::format("{} {}{}  {}", kMarks[std::min<std::size_t>(static_cast<std::size_t>(check.status), 2)],
                           names[i], std::string(static_cast<std::size_t>(width - displayWidth(names[i])), ' '),
                           lineOf(check.stops ? Message("{}: {} (this ended the run)", status, check.text)
                                              : Message("{}: {}", status, check.text)));
    }
    return out;
}

std::string countersText(const RunReport& r) {
    Table table({"counter", right("rank"), right("value")});
    for (const auto& c : r.counters)
        table.add({c.name, c.rank < 0 ? console::text("all") : std::to_string(c.rank), formatCount(c.value)});
    return r.counters.empty() ? std::string() : table.text();
}

json incidentsJson(const RunReport& r) {
    json all = json::array();
    for (const auto& incident : r.incidents)
        all.push_back(diagnosis::toJson(incident, r.startNs, r.info.faults));
    return all;
}

static json missingJson(const RunReport& r) {
    if (!r.missing)
        return nullptr;
    return {{"reason", launch::reasonName(*r.missing)},
            {"why", r.missing->why.message()},
            {"message", r.missing->why.asMessage().toJson()},
            {"in_journals", r.missing->journals},
            {"in_the_way", r.missing->inTheWay},
            {"text", Message(launch::missingText(*r.missing)).english()}};
}

json reportJson(const RunReport& r) {
    json setLosses = json::array();
    for (const auto& set : r.setLosses)
        setLosses.push_back({{"name", set.tag}, {"step", set.step}, {"loss", set.value}});
    json ranks = json::array(), counters = json::array(), validations = json::array(), checks = json::array();
    for (const auto& c : r.checks)
        checks.push_back({{"name", c.name},
                          {"status", telemetry::checkStatusName(c.status)},
                          {"ended_the_run", c.stops},
                          {"ranks", c.ranks},
                          {"text", c.text}});
    for (const auto& v : r.validations)
        validations.push_back({{"step", v.step},
                               {"val_loss", v.loss},
                               {"batches", v.batches},
                               {"began_s", static_cast<double>(v.beginNs) * 1e-9},
                               {"took_s", static_cast<double>(v.endNs - v.beginNs) * 1e-9}});
    for (const auto& rank : r.ranks)
        ranks.push_back({{"rank", rank.rank},
                         {"host", rank.host},
                         {"device", rank.device},
                         {"steps", rank.lastStep + 1},
                         {"last_loss", rank.lastLoss},
                         {"waited_s", static_cast<double>(rank.waitedNs) * 1e-9},
                         {"held_s", static_cast<double>(rank.heldNs) * 1e-9},
                         {"ended", rank.ended},
                         {"exit_code", rank.exitCode},
                         {"weights_hash", fmt::format("{:016x}", rank.weightsHash)},
                         {"end_text", rank.endText}});
    for (const auto& c : r.counters)
        counters.push_back({{"name", c.name}, {"rank", c.rank}, {"value", c.value}});
    const auto& i = r.info;
    return json{{"id", i.id},
                {"name", i.name},
                {"title", r.title},
                {"path", r.paths.dir.string()},
                {"state", launch::runStateName(i.state)},
                {"cause", i.cause.english()},
                {"supervisor", launch::supervisorLifeName(i.supervisor)},
                {"exit_code", i.exitCode},
                {"world_size", i.worldSize},
                {"steps", r.step() + 1},
                {"total_steps", i.totalSteps},
                {"pace", launch::isLive(i.state) ? paceJson(r) : json(nullptr)},
                {"lost", lostJson(r)},
                {"not_finite_since", r.notFiniteSince() < 0 ? json(nullptr) : json(r.notFiniteSince())},
                {"failed_checkpoints", {{"count", r.failedCheckpoints.count}, {"newest", r.failedCheckpoints.newest}}},
                {"mean_steps_per_s", r.figures.meanStepsPerSecond}, // non-finite values are null in JSON
                {"waits_are_sums", r.waitsAreSums},
                {"last_loss", r.figures.lastLoss},
                {"best_loss", r.figures.bestLoss},
                {"val_loss", r.figures.lastValidation()},
                {"best_val_loss", r.figures.bestValidation()},
                {"began_realtime_ns", i.startRealtimeNs},
                {"ended_realtime_ns", i.endRealtimeNs},
                {"faults", i.faults},
                {"unwatched", r.unwatched},
                {"ranks", ranks},
                {"incidents", incidentsJson(r)},
                {"counters", counters},
                {"validations", validations},
                {"validation_sets", setLosses},
                {"memory", memoryJson(r)},
                {"checks", checks},
                {"resumed_from", i.resumedFrom},
                {"relaunched_from", i.relaunchedFrom},
                {"overrides", i.overrides},
                {"store_problem", r.storeProblem ? r.storeProblem->message() : std::string()},
                {"not_current", missingJson(r)},
                {"store_behind", lagJson(r)}};
}

Message endText(const launch::RunInfo& info) {
    const Message state = launch::stateTitle(info.state);
    const Message cause = info.cause;
    return cause.empty() || cause.english() == state.english() ? state : Message("{}: {}", state, cause);
}

std::string dumped(const json& value) {
    return printableJson(value.dump(2, ' ', false, json::error_handler_t::replace));
}

} // namespace rankscope::ctl
