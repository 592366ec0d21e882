// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report.h"

#include "app/ctl/reports/text_table.h"
#include "core/base/text/console.h"
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

diagnosis::Standstill RunReport::standstill() const {
    return !launch::isLive(info.state) || lag ? diagnosis::Standstill{} : diagnosis::standstillOf(incidents);
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
        report.storeProblem = reader.error().message();
        return;
    }
    report.startNs = reader->meta().startNs;
    report.waitsAreSums = reader->meta().waitsAreSums;
    // a part that cannot be read is left out and reported; the others are still read
    const auto take = [&report](auto read, auto& into) {
        if (read)
            into = std::move(*read);
        else if (report.storeProblem.empty())
            report.storeProblem = read.error().message();
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
    if (const auto judged = launch::judgeTraining(report.info, *reader); !judged && report.storeProblem.empty())
        report.storeProblem = judged.error().message();
    if (launch::isLive(report.info.state)) {
        report.pace = launch::readPace(*reader, report.ranks, report.incidents, launch::sampleRateOf(report.paths));
        report.stepsPerEpoch = launch::stepsPerEpochOf(report.paths);
    }
    take(unwatchedNotes(*reader), report.unwatched);
    if (withStacks)
        take(reader->stacks(), report.stacks);
    report.checks = store::summarize(checks);
    if (auto checked = reader->checkQuickly(); !checked && report.storeProblem.empty())
        report.storeProblem = checked.error().message();
    if (const std::string said = store::describe(reader->condition(), report.paths.store()); !said.empty())
        report.storeProblem = fmt::format("{}: {}", report.paths.store().string(), said);
}

void tellCondition(const store::RunReader& reader, const launch::RunPaths& run) {
    if (const std::string said = store::describe(reader.condition(), run.store()); !said.empty())
        console::printError("rankscopectl: {}: {}\n", printableLine(run.store().string()), printableLine(said));
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

std::string stacksText(const RunReport& r, std::int64_t incident) {
    std::string out;
    for (const auto& rows : byRank(r.stacks)) {
        const StackRow& first = rows.front();
        if (first.incident != incident)
            continue;
        out += fmt::format("     stack of rank {} ({}), {} into the run\n", first.rank, printableLine(first.role),
                           formatDuration(first.takenNs));
        if (refused(rows)) {
            out += fmt::format("       none: {}\n", printableLine(first.remark));
            continue;
        }
        const auto threads = launch::threadsOf(rows);
        const auto shown = telling(threads);
        out += launch::stacksText(shown, 0, "       ");
        if (threads.size() > shown.size())
            out += fmt::format("       {} more thread{} with --json\n", threads.size() - shown.size(),
                               threads.size() - shown.size() == 1 ? "" : "s");
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
    std::vector<std::string> header{">rank", ">memory", ">most"};
    if (gpu)
        header.insert(header.end(), {">GPU", ">most", ">of"});
    header.emplace_back(">longest frames");
    header.emplace_back(">positions");
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
        out += fmt::format("all ranks and what else runs here: {} of {} in use\n", formatBytes(first.groupUsedBytes),
                           formatBytes(first.groupLimitBytes));
    if (tables && r.memory.size() > 1) {
        std::int64_t alone = 0;
        for (const std::int64_t own : tables->aloneBytes)
            alone += own;
        const auto all = tables->syncedBytes * static_cast<std::int64_t>(r.memory.size());
        out += fmt::format("position tables of all ranks: {} with the length sync, {} without it\n", formatBytes(all),
                           formatBytes(alone));
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
    const std::string since =
        r.lag->sinceNs == 0
            ? "is behind its ranks"
            : fmt::format("ends {} ago", formatDuration(std::max<std::int64_t>(0, r.nowNs - r.lag->sinceNs)));
    return fmt::format("store    {}: {}. What the ranks do since is not known here; they keep it in their journals\n",
                       since, printableLine(launch::lagText(*r.lag)));
}

json lagJson(const RunReport& r) {
    if (!r.lag)
        return nullptr;
    static constexpr const char* kReasons[] = {"supervisor_stopped", "cannot_write", "silent"};
    return {
        {"reason", kReasons[static_cast<std::size_t>(r.lag->reason)]},
        {"since_s", r.lag->sinceNs == 0 ? json(nullptr) : json(static_cast<double>(r.lag->sinceNs - r.startNs) * 1e-9)},
        {"text", launch::lagText(*r.lag)}};
}

static std::string clockTime(std::int64_t realtimeNs) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(realtimeNs / 1'000'000'000)));
}

static std::string validationText(const RunReport& r) {
    const auto& [last, best] = r.figures.validation;
    if (!last)
        return {};
    std::string text = fmt::format("val_loss {:.4f} after step {}", last->loss, formatCount(last->step));
    if (best && best->beginNs != last->beginNs)
        text += fmt::format(", best {:.4f} after step {}", best->loss, formatCount(best->step));
    text += "\n";
    for (const auto& set : r.setLosses)
        text += fmt::format("{} {:.4f} after step {}\n", printableLine(set.tag), set.value, formatCount(set.step));
    return text;
}

/// Returns "13.50 steps/s, 0.17 h of audio/s, 4 min 12 s left, 12 s of them in epoch 3", or
/// "5.22 steps/s, mean of the run" for an ended run; empty if not known.
static std::string rateLine(const RunReport& r) {
    if (!launch::isLive(r.info.state))
        return std::isfinite(r.figures.meanStepsPerSecond)
                   ? fmt::format("rate     {:.2f} steps/s, mean of the run\n", r.figures.meanStepsPerSecond)
                   : std::string();
    const double rate = r.stepsPerSecond();
    if (!(rate > 0))
        return {};
    const std::int64_t done = r.step() + 1, total = r.info.totalSteps;
    std::string line = fmt::format("rate     {:.2f} steps/s", rate);
    if (const std::string audio = launch::audioRateText(r.pace.audioPerSecond(rate)); !audio.empty())
        line += ", " + audio;
    if (total > done)
        line += fmt::format(", {} left", formatDuration(launch::timeOf(total - done, rate)));
    if (const std::int64_t left = launch::leftOfEpoch(done, r.stepsPerEpoch, total); left > 0)
        line += fmt::format(", {} left of epoch {}", formatDuration(launch::timeOf(left, rate)),
                            *launch::epochAfter(done, r.stepsPerEpoch));
    return line + "\n";
}

/// Returns "lost     18.6 s to waiting, 24 % of 77.1 s, as a mean over the ranks"; empty if not known.
static std::string lostLine(const RunReport& r) {
    if (r.lost.steps == 0)
        return {};
    return fmt::format("lost     {}{} to waiting, {:.1f} % of {}, as a mean over the ranks\n",
                       r.lost.estimated ? "about " : "", formatDuration(static_cast<std::int64_t>(r.lost.lostNs)),
                       100 * r.lost.share(), formatDuration(r.lost.lastedNs));
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

std::string headerText(const RunReport& r) {
    const auto& i = r.info;
    const auto standstill = r.standstill();
    std::string state = standstill ? diagnosis::standstillText(standstill, r.nowNs).english() : endText(i);
    if (const std::string remark = launch::supervisorRemark(i); !remark.empty())
        state += ": " + remark;
    if (const std::int64_t since = r.notFiniteSince(); since >= 0)
        state += fmt::format("; the loss has been NaN since step {}: stop the run", since);
    std::string steps = r.step() < 0 ? "none yet" : formatCount(r.step() + 1);
    if (i.totalSteps > 0)
        steps += fmt::format(" of {}", formatCount(i.totalSteps));
    const std::int64_t lasted = i.endRealtimeNs ? i.endRealtimeNs - i.startRealtimeNs : launch::ageNs(i);
    std::string out = fmt::format("run      {}\n", printableLine(i.id));
    if (!r.title.empty())
        out += fmt::format("title    {}\n", printableLine(r.title));
    out += fmt::format("state    {}\nsteps    {}\nbegan    {}, {} {}\n", state, steps, clockTime(i.startRealtimeNs),
                       i.endRealtimeNs ? "lasted" : "runs for", formatDuration(std::max<std::int64_t>(0, lasted)));
    out += rateLine(r);
    out += lostLine(r);
    if (!i.resumedFrom.empty())
        out += fmt::format("resumed  from {}\n", printableLine(i.resumedFrom));
    if (!i.relaunchedFrom.empty())
        out += fmt::format("repeats  {}\n", printableLine(i.relaunchedFrom));
    out += validationText(r);
    if (r.failedCheckpoints.count > 0)
        out += fmt::format("failed   {} checkpoint{} could not be written; the newest: {}\n", r.failedCheckpoints.count,
                           r.failedCheckpoints.count == 1 ? "" : "s", printableLine(r.failedCheckpoints.newest));
    for (const auto& fault : i.faults)
        out += fmt::format("fault    {} (asked for in the configuration)\n", printableLine(fault));
    if (!r.storeProblem.empty())
        out += fmt::format("store    {}\n", printableLine(r.storeProblem));
    if (r.missing)
        out += fmt::format("missing  {}\n", printableLine(launch::missingText(*r.missing)));
    out += lagLine(r);
    return out + fmt::format("folder   {}\n", printableLine(r.paths.dir.string()));
}

static std::string waitText(std::int64_t ns) {
    return ns > 0 ? formatDuration(ns) : "-";
}

std::string ranksText(const RunReport& r) {
    Table table({">rank", "device", ">steps", ">last loss", ">waited", ">held others", "end"});
    static constexpr const char* kEnds[] = {"finished", "stopped", "failed"};
    for (const auto& rank : r.ranks) {
        std::string end = launch::isLive(r.info.state)                 ? "runs"
                          : r.info.state == launch::RunState::Imported ? "imported"
                                                                       : "cut off";
        if (rank.ended)
            end = kEnds[std::min<std::size_t>(static_cast<std::size_t>(rank.endCause), 2)];
        if (rank.ended && !rank.endText.empty()) // the text often already says how it ended
            end = rank.endText.starts_with(end) ? rank.endText : fmt::format("{}: {}", end, rank.endText);
        table.add({std::to_string(rank.rank), rank.device, formatCount(rank.lastStep + 1),
                   rank.lastStep < 0 ? "-" : fmt::format("{:.4f}", rank.lastLoss), waitText(rank.waitedNs),
                   waitText(rank.heldNs), end});
    }
    std::string out = table.text();
    if (r.waitsAreSums)
        out += "an older version recorded this run: waits that overlap are added up\n";
    return out;
}

std::string incidentsText(const RunReport& r, bool evidence) {
    std::string out;
    if (r.incidents.empty())
        out = r.info.state == launch::RunState::Imported ? fmt::format("{}\n", diagnosis::noneImported().english())
                                                         : "no incidents\n";
    for (const auto& i : r.incidents) {
        const std::int64_t now = i.closedNs ? i.closedNs : r.endNs;
        const std::string until = i.closedNs ? formatDuration(i.closedNs - r.startNs) + ", " +
                                                   std::string(diagnosis::closeReasonName(i.closed))
                                  : r.lag ? "open when it was last stored, not known now"
                                          : "still open";
        out += fmt::format("{}. {}, from {} to {}\n   {}\n", i.id, diagnosis::causeName(i.cause),
                           formatDuration(i.openedNs - r.startNs), until,
                           printableLine(diagnosis::sentence(i, now, r.info.faults).english()));
        if (!evidence)
            continue;
        const auto facts = toJson(i.evidence);
        for (const auto& [key, value] : facts.items())
            out += fmt::format("     {}: {}\n", printableLine(key),
                               value.is_string() ? printableLine(value.get<std::string>()) : dumped(value));
        out += stacksText(r, i.id);
    }
    for (const std::string& note : r.unwatched)
        out += printableLine(note) + "\n";
    return out;
}

std::string checksText(const RunReport& r) {
    static constexpr const char* kMarks[] = {"✓", "✗", "–"};
    std::size_t width = 0;
    for (const auto& check : r.checks)
        width = std::max(width, check.name.size());
    std::string out;
    for (const auto& check : r.checks) { // not a table: the mark has three bytes in one column, and the text is long
        const auto at = std::min<std::size_t>(static_cast<std::size_t>(check.status), 2);
        out += fmt::format("{} {:<{}}  {}: {}{}\n", kMarks[at], printableLine(check.name), width,
                           telemetry::checkStatusName(check.status), printableLine(check.text),
                           check.stops ? " (this ended the run)" : "");
    }
    return out;
}

std::string countersText(const RunReport& r) {
    Table table({"counter", ">rank", ">value"});
    for (const auto& c : r.counters)
        table.add({c.name, c.rank < 0 ? "all" : std::to_string(c.rank), formatCount(c.value)});
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
            {"in_journals", r.missing->journals},
            {"in_the_way", r.missing->inTheWay},
            {"text", launch::missingText(*r.missing)}};
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
                {"cause", i.cause},
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
                {"store_problem", r.storeProblem},
                {"not_current", missingJson(r)},
                {"store_behind", lagJson(r)}};
}

std::string endText(const launch::RunInfo& info) {
    const std::string state(launch::runStateName(info.state));
    return info.cause.empty() || info.cause == state ? state : state + ": " + printableLine(info.cause);
}

std::string dumped(const json& value) {
    return printableJson(value.dump(2, ' ', false, json::error_handler_t::replace));
}

} // namespace rankscope::ctl
