// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/run_outcome.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/programs/last_words.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/launch_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

namespace rankscope::launch {

using telemetry::EndCause;

bool endedBadly(const RankEnd& end, bool stopping) {
    if (!end.process || (end.process->signalled && end.byUs))
        return false;
    if (end.process->known && (end.process->signalled || end.process->code != 0))
        return true;
    if (end.said == EndCause::Finished)
        return false;
    // exit code 0 alone proves nothing: a rank that leaves early has it, too
    return !(end.said == EndCause::Stopped && stopping);
}

/// Returns whether another rank is the likely reason for the end of a foreign one: launchers end those that are left,
/// and their collectives break.
static bool isConsequence(const RankEnd& end, std::int64_t firstNs) {
    constexpr std::int64_t kLaterNs = 5'000'000'000; // a launcher's SIGKILL comes long after its SIGTERM
    if (!end.foreign)
        return false;
    if (end.said == EndCause::Failed)
        return diagnosis::mentionsAnotherRank(end.text);
    const bool ended = end.process->signalled && end.process->code == SIGTERM;
    return ended || end.victim || (end.process->signalled && end.process->seenNs - firstNs > kLaterNs);
}

std::optional<std::size_t> firstFailure(std::span<const RankEnd> ends, bool stopping) {
    std::optional<std::size_t> first;
    std::int64_t firstNs = std::numeric_limits<std::int64_t>::max();
    for (const RankEnd& e : ends)
        if (endedBadly(e, stopping))
            firstNs = std::min(firstNs, e.process->seenNs);
    const auto key = [&](std::size_t i) {
        const RankEnd& e = ends[i];
        // any exit code other than that of a failed trainer is a better explanation
        const bool tellsLittle = !e.foreign && e.process->code == kFailedExit;
        return std::tuple(isConsequence(e, firstNs), !e.process->signalled, e.victim, tellsLittle, e.process->seenNs,
                          e.rank);
    };
    for (std::size_t i = 0; i < ends.size(); ++i)
        if (endedBadly(ends[i], stopping) && (!first || key(i) < key(*first)))
            first = i;
    return first;
}

std::string signalName(int number) {
    const char* name = ::sigabbrev_np(number);
    return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

static Message whereInRun(const RankEnd& end) {
    const bool known = end.phase != telemetry::Phase::None;
    const std::string_view phase = known ? telemetry::phaseName(end.phase) : std::string_view();
    if (end.step < 0)
        return known ? Message("before its first step while in {}", phase) : Message("before its first step");
    return known ? Message("at step {} while in {}", end.step, phase) : Message("at step {}", end.step);
}

/// Describes how a process ended whose end was seen.
static Message howItEnded(const RankEnd& end) {
    const Message where = whereInRun(end);
    if (end.process->signalled)
        return end.outOfMemory
                   ? Message("rank {} was killed by the kernel because memory ran out (SIGKILL) {}", end.rank, where)
                   : Message("rank {} ended with {} {}", end.rank, signalName(end.process->code), where);
    if (end.diskFull)
        return {"rank {} ended {} because the disk or quota is full", end.rank, where};
    if (end.outOfMemory)
        return {"rank {} ran out of memory {}", end.rank, where};
    if (end.process->code != 0)
        return {"rank {} ended with exit code {} {}", end.rank, end.process->code, where};
    if (end.said == EndCause::Stopped)
        return {"rank {} was stopped from outside {}", end.rank, where};
    return {"rank {} left {} with exit code 0, without reporting that it was done", end.rank, where};
}

/// Returns the last words of a trainer, without what the sentence before them already says. Its log has the whole
/// sentence, its end record the beginning.
static std::string lastWords(const RankEnd& end) {
    constexpr std::string_view kProgram = "rankscope-trainer: ";
    const auto newest = std::find_if(end.lastLines.rbegin(), end.lastLines.rend(),
                                     [&](const std::string& line) { return line.starts_with(kProgram); });
    std::string said = newest == end.lastLines.rend() ? end.text : newest->substr(kProgram.size());
    if (!said.starts_with(end.text))
        said = end.text;
    if (const std::string name = fmt::format("rank {}: ", end.rank); said.starts_with(name))
        said.erase(0, name.size());
    return end.outOfMemory && said == "out of memory: an allocation failed" ? std::string() : said;
}

/// Returns the trainer's objection to a recipe, file or machine that it cannot train with; empty: it ended otherwise.
static std::string refusal(const RankEnd& end) {
    const bool refused =
        !end.foreign && !end.process->signalled && end.process->known && end.process->code == kRefusedExit;
    return refused ? lastWords(end) : std::string();
}

Message endSentence(const RankEnd& end) {
    if (!end.process)
        return {"rank {} is still running", end.rank};
    if (const std::string why = refusal(end); !why.empty())
        return {"rank {} cannot train with this: {}", end.rank, why};
    Message sentence = end.process->known
                           ? howItEnded(end)
                           : Message("rank {} disappeared {}; how it ended is unknown", end.rank, whereInRun(end));
    if (end.process->signalled)
        return sentence;
    if (!end.text.empty() && end.said == EndCause::Failed) {
        const std::string said = lastWords(end);
        return said.empty() ? sentence : Message("{}: {}", sentence, said);
    }
    // on a full disk the log could not grow, so its last line is an older one
    return end.lastLines.empty() || end.diskFull ? sentence
                                                 : Message("{}; its log ends with: {}", sentence, end.lastLines.back());
}

EndKind endKindOfSignal(int number) {
    if (number == SIGKILL)
        return EndKind::Killed;
    constexpr std::array kRequests{SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};
    return std::find(kRequests.begin(), kRequests.end(), number) == kRequests.end() ? EndKind::Crashed
                                                                                    : EndKind::Exited;
}

static EndKind endKindOf(const RankEnd& end) {
    if (end.process->signalled)
        return end.outOfMemory ? EndKind::OutOfMemory : endKindOfSignal(end.process->code);
    if (end.diskFull || diagnosis::mentionsFullDisk(lastWords(end)))
        return EndKind::DiskFull;
    if (!refusal(end).empty())
        return EndKind::Refused;
    return end.outOfMemory ? EndKind::OutOfMemory : EndKind::Exited;
}

EndReason endReasonOf(const RankEnd& end) {
    return {endKindOf(end), end.rank, end.step};
}

/// Compares the weights of the ranks that reported theirs; none, or only one, proves nothing either way.
static Message weightDifference(std::span<const RankEnd> ends) {
    std::map<std::uint64_t, std::vector<int>> byHash;
    for (const auto& end : ends)
        if (end.weightsHash != 0 && end.said != EndCause::Failed)
            byHash[end.weightsHash].push_back(end.rank);
    if (byHash.size() < 2)
        return {};
    std::vector<Ranks> groups;
    for (const auto& [hash, ranks] : byHash)
        groups.push_back({ranks});
    std::sort(groups.begin(), groups.end(), [](const Ranks& a, const Ranks& b) { return a.ranks < b.ranks; });
    std::vector<Message> others;
    for (std::size_t i = 1; i < groups.size(); ++i)
        others.emplace_back(Message("{}", groups[i]));
    return {"the ranks hold different weights at the end: {} against {}", groups.front(), allOf(std::move(others))};
}

/// The weights of ranks that ended at different steps differ naturally.
static bool sameStep(std::span<const RankEnd> ends) {
    return std::all_of(ends.begin(), ends.end(), [&](const RankEnd& e) { return e.step == ends.front().step; });
}

Message stopSentence(std::span<const RankEnd> ends, const Message& asked) {
    std::int64_t done = INT64_MAX; // by all ranks, as everything else is counted
    for (const auto& end : ends)
        done = std::min(done, end.done);
    const Message when = ends.empty() || done == 0 ? Message("before the first step")
                         : done == 1               ? Message("after 1 step")
                                                   : Message("after {} steps", done);
    return asked.empty() ? Message("stopped by the user {}", when) : Message("stopped {}: {}", when, asked);
}

static RunOutcome stoppedAsAsked(std::span<const RankEnd> ends, const Message& asked) {
    std::vector<int> killed;
    for (const auto& end : ends)
        if (end.process && end.process->signalled && end.byUs && end.process->code == SIGKILL && !end.waitedInVain)
            killed.push_back(end.rank);
    Message cause = stopSentence(ends, asked);
    if (const auto bad = firstFailure(ends, true))
        cause = {"{}; while stopping {}", cause, endSentence(ends[*bad])};
    else if (!killed.empty())
        cause = {"{}; {} had to be killed", cause, Ranks{killed}};
    return {RunState::Stopped, kStopped, std::move(cause), {}};
}

RunOutcome determineOutcome(std::span<const RankEnd> ends, bool stopping, const Message& asked) {
    const bool allDone =
        std::all_of(ends.begin(), ends.end(), [](const RankEnd& e) { return e.said == EndCause::Finished; });
    if (!stopping)
        if (const auto bad = firstFailure(ends, false)) {
            const RankEnd& end = ends[*bad];
            return {RunState::Failed, kRankFailed, endSentence(end), endReasonOf(end)};
        }
    std::vector<store::NotFiniteTail> tails;
    for (const auto& end : ends)
        tails.push_back(end.notFinite);
    if (const Message useless = notFiniteText(tails); !useless.empty())
        return {RunState::Failed, kRankFailed,
                stopping && !allDone ? Message("{}; {}", useless, stoppedAsAsked(ends, asked).cause) : useless,
                notFiniteReason(tails)};
    if (auto difference = weightDifference(ends); !difference.empty() && (allDone || sameStep(ends)))
        return {RunState::Failed, kRankFailed, std::move(difference), {EndKind::WeightsDiffer}};
    if (stopping && !allDone)
        return stoppedAsAsked(ends, asked);
    if (!allDone)
        return {RunState::Failed, kRankFailed, "the ranks were ended before they were done", {EndKind::Other}};
    return {RunState::Finished, kDone, "finished", {}};
}

store::RunEnding endingOf(const RunInfo& info) {
    return {std::string(runStateName(info.state)),      info.cause,       info.exitCode,   info.endRealtimeNs,
            std::string(endKindName(info.reason.kind)), info.reason.rank, info.reason.step};
}

} // namespace rankscope::launch
