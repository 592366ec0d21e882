// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report_text.h"

#include "app/ctl/reports/run_report_json.h"
#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/injected_fault.h"
#include "core/launch/stacks/stack_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace rankscope::ctl {

using store::StackRow;

static constexpr std::size_t kThreadsAsText = 3;

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
    for (const auto& rows : stacksByRank(r)) {
        const StackRow& first = rows.front();
        if (first.incident != incident)
            continue;
        out += "     " + lineOf({"stack of rank {} ({}), {} into the run", first.rank, roleWord(first.role),
                                 Duration{first.takenNs}});
        if (isRefused(rows)) {
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
    const auto tables = positionMemory(r, synced);
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

static std::string clockTime(std::int64_t realtimeNs) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(realtimeNs / 1'000'000'000)));
}

static std::string validationText(const RunReport& r) {
    const auto& [last, best] = r.figures.validation;
    if (!last)
        return {};
    const Message newest = last->known ? Message("{:.4f} after step {}", last->loss, Count{last->step})
                                       : Message("not known after step {}", Count{last->step});
    std::string out = labelled("val_loss", last->known && best && best->beginNs != last->beginNs
                                               ? Message("{:.4f} after step {}, best {:.4f} after step {}", last->loss,
                                                         Count{last->step}, best->loss, Count{best->step})
                                               : newest);
    for (const auto& set : r.setLosses)
        out += lineOf({"{} {:.4f} after step {}", set.tag, set.value, Count{set.step}});
    return out;
}

/// Returns "13.50 steps/s, 0.17 h of audio/s, 4 min 12 s left, 12 s of them in epoch 3", or
/// "5.22 steps/s, mean of the run" for an ended run; empty if not known.
static std::string rateLine(const RunReport& r) {
    if (!launch::isLive(r.info.state))
        return std::isfinite(r.figures.rate.perSecond())
                   ? labelled("rate", {"{:.2f} steps/s, mean of the run", r.figures.rate.perSecond()})
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

/// Returns the state in words, with a warning if the loss is not finite.
static Message stateText(const RunReport& r) {
    const auto standstill = r.standstill();
    Message state = standstill ? Message(diagnosis::standstillText(standstill, r.nowNs)) : endText(r.info);
    if (const Message remark = launch::supervisorNotice(r.info); !remark.empty())
        state = {"{}: {}", state, remark};
    if (const std::int64_t since = r.notFiniteSince(); since >= 0)
        state = {"{}; the loss has been NaN since step {}: stop the run", state, since};
    return state;
}

/// Returns the newest calls of the command for incidents.
static std::string alertsText(const RunReport& r) {
    constexpr std::size_t kMostAlerts = 5;
    std::string out;
    const std::size_t left = r.alerts.size() - std::min(r.alerts.size(), kMostAlerts);
    if (left > 0)
        out += labelled("alert", {"{} earlier ones with --json", left});
    for (std::size_t i = left; i < r.alerts.size(); ++i)
        out += labelled("alert", {"{}, {}", Duration{r.alerts[i].timeNs}, r.alerts[i].text});
    return out;
}

/// Returns the lines on what went wrong or is missing.
static std::string troublesText(const RunReport& r) {
    std::string out;
    const auto& failed = r.failedCheckpoints;
    if (failed.count == 1)
        out += labelled("failed", {"1 checkpoint could not be written; the newest: {}", failed.newest});
    else if (failed.count > 0)
        out += labelled("failed", {"{} checkpoints could not be written; the newest: {}", failed.count, failed.newest});
    out += alertsText(r);
    for (const auto& fault : r.info.faults)
        out += labelled("fault", {"{} (asked for in the configuration)", fault});
    if (r.storeProblem)
        out += labelled("store", r.storeProblem->message(console::outputLanguage()));
    if (r.missing)
        out += labelled("missing", launch::missingText(*r.missing));
    return out + lagLine(r);
}

/// Returns "torch 2.11.0, nccl 2.28.9", with the ranks if they use different versions; empty if none was reported.
static std::string softwareLine(const RunReport& r) {
    std::vector<Message> parts;
    for (const auto& s : r.software) {
        const bool same = s.ranks.size() == r.ranks.size();
        parts.push_back(same ? Message(s.name + " " + s.version)
                             : Message("{} {} ({})", s.name, s.version, Ranks{s.ranks}));
    }
    return parts.empty() ? std::string() : labelled("software", {"{}", allOf(std::move(parts))});
}

/// Returns when the run began and, if that is known, for how long it lasted or has been running.
static Message beganText(const launch::RunInfo& i) {
    const std::string began = clockTime(i.startRealtimeNs);
    if (launch::isLive(i.state))
        return {"{}, runs for {}", began, Duration{launch::ageNs(i)}};
    const std::int64_t lasted = i.endRealtimeNs - i.startRealtimeNs; // 0 or less: no record says when it ended
    return lasted > 0 ? Message("{}, lasted {}", began, Duration{lasted}) : Message(began);
}

std::string headerText(const RunReport& r) {
    const auto& i = r.info;
    Message steps = r.step() < 0 ? Message("none yet") : Message("{}", Count{r.step() + 1});
    if (i.totalSteps > 0)
        steps = {"{} of {}", steps, Count{i.totalSteps}};
    std::string out = labelled("run", i.id);
    if (!r.title.empty())
        out += labelled("title", r.title);
    if (!i.command.empty())
        out += labelled("command", fmt::format("{}", fmt::join(i.command, " ")));
    if (const std::string commit = launch::versionOf(i, launch::kCodeVersion); !commit.empty())
        out += labelled("commit", commit);
    if (!i.recipeFrom.empty())
        out += labelled("trainer", i.recipeFrom);
    out += labelled("state", stateText(r)) + labelled("steps", steps);
    out += labelled("began", beganText(i));
    out += rateLine(r);
    out += lostLine(r);
    out += softwareLine(r);
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
    if (r.info.worldSize == 0)
        return {};
    Table table(
        {right("rank"), "device", right("steps"), right("last loss"), right("waited"), right("held others"), "end"});
    for (const auto& rank : r.ranks)
        table.add({std::to_string(rank.rank), rank.device, formatCount(rank.lastStep + 1),
                   rank.lastLoss ? fmt::format("{:.4f}", *rank.lastLoss) : "-", waitText(rank.waitedNs),
                   waitText(rank.heldNs), console::text(rankEnd(r, rank))});
    std::string out = table.text();
    if (r.waitsAreSums)
        out += lineOf("an older version recorded this run: overlapping waits are counted more than once");
    return out;
}

/// Returns "1. slow data, from 12.1 s to 17.3 s, recovered".
static Message whenText(const RunReport& r, const diagnosis::Incident& i) {
    const Language language = console::outputLanguage();
    const Message cause = causeWord(i.cause, language);
    const Duration from{i.openedNs - r.startNs};
    if (i.closedNs)
        return {"{}. {}, from {} to {}", i.id, cause, from,
                Message("{}, {}", Duration{i.closedNs - r.startNs}, closeReasonWord(i.closed, language))};
    const Message open = !launch::isLive(r.info.state) ? Message("last recorded as open")
                         : r.lag                       ? Message("was open at the last update; current state unknown")
                                                       : Message("still open");
    return {"{}. {}, from {}, {}", i.id, cause, from, open};
}

std::string incidentsText(const RunReport& r, bool evidence) {
    std::string out;
    if (r.incidents.empty())
        out = lineOf(r.info.state == launch::RunState::Imported ? diagnosis::noneImported() : Message("no incidents"));
    for (const auto& i : r.incidents) {
        const std::int64_t now = i.closedNs ? i.closedNs : r.endNs;
        out += lineOf(whenText(r, i));
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

Message endText(const launch::RunInfo& info) {
    const Message state = launch::stateTitle(info.state);
    const Message cause = info.cause;
    return cause.empty() || cause.english() == state.english() ? state : Message("{}: {}", state, cause);
}

static std::string trainerOf(const RunReport& run) {
    return !run.info.recipeFrom.empty() ? run.info.recipeFrom
           : run.info.watched()         ? console::text("your own program")
                                        : "Rankscope";
}

static std::string number(double value, int digits) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string figuresText(const RunReport& mine, const RunReport& other) {
    Table table({"", right(mine.info.id), right(other.info.id)});
    const auto row = [&](const Message& title, const auto& figure) {
        table.add({console::text(title), figure(mine), figure(other)});
    };
    row("trainer", trainerOf);
    row("ranks", [](const RunReport& r) { return std::to_string(r.info.worldSize); });
    row("steps", [](const RunReport& r) { return formatCount(r.step() + 1); });
    row("last loss", [](const RunReport& r) { return number(r.figures.lastLoss, 4); });
    row("smallest loss", [](const RunReport& r) { return number(r.figures.bestLoss, 4); });
    row("val_loss", [](const RunReport& r) { return number(r.figures.lastValidation(), 4); });
    row("steps/s", [](const RunReport& r) { return number(r.figures.rate.perSecond(), 3); });
    row("lost by waiting for each other", [](const RunReport& r) {
        return r.lost.steps > 0 ? fmt::format("{:.1f} %", 100 * r.lost.share()) : std::string("-");
    });
    row("most memory of a rank", [](const RunReport& r) {
        const std::int64_t most = r.mostMemory();
        return most < 0 ? std::string("-") : formatBytes(most);
    });
    row("incidents", [](const RunReport& r) { return formatCount(static_cast<std::int64_t>(r.incidents.size())); });
    return table.text();
}

} // namespace rankscope::ctl
