// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/rank_status.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/run_stall.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/telemetry/format/process_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr std::int64_t kVisibleWaitNs = 200'000'000; ///< shorter waits would make the tile flicker at every step

Duration since(std::int64_t now, std::int64_t then) {
    return {std::max<std::int64_t>(0, now - clampTime(then))};
}

Message tagWords(const std::string& tag) {
    constexpr std::string_view kBucket = "gradient:";
    return tag.starts_with(kBucket) ? Message("gradient bucket {}", tag.substr(kBucket.size())) : Message(tag);
}

Message deadWords(const ProcessView& p, std::int64_t step) {
    Message how = p.state == ProcessView::State::Signalled
                      ? Message("exit {} ({})", 128 + p.signal, signalName(p.signal))
                  : p.state == ProcessView::State::Exited ? Message("exit {}", p.exitCode)
                                                          : Message("process gone");
    return step < 0 ? how : Message("{} at step {}", std::move(how), Count{step});
}

Message holdWords(const Incident& in, std::int64_t now) {
    const auto phase = phaseName(in.phase);
    const Duration time = since(now, in.openedNs);
    const auto ranks = in.waiters.size();
    return ranks == 0   ? Message("no progress for {}: {}", time, phase)
           : ranks == 1 ? Message("blocking {} rank for {}: {}", ranks, time, phase)
                        : Message("blocking {} ranks for {}: {}", ranks, time, phase);
}

Message computingWords(const BoardSnapshot& b) {
    const std::string phase(phaseName(b.phase));
    if (b.phase == Phase::None)
        return "between phases";
    const bool placed = b.phase == Phase::Forward || b.phase == Phase::Backward;
    if (placed && b.place == ForwardSite::Layer && b.layer >= 0)
        return {"{}, layer {}", phase, b.layer};
    return placed && b.place != ForwardSite::None ? fmt::format("{}, {}", phase, placeName(b.place)) : phase;
}

/// Finds the ranks that have not entered a collective; computed once per collective and used for every waiting rank.
class Missing {
public:
    Missing(const Observation& observation, const ProcessGroups& groups) : m_o(observation), m_groups(groups) {}

    struct MissingRanks {
        int first = -1;
        std::size_t count = 0;
    };
    const MissingRanks& of(const BoardCollective& c) {
        const auto [at, fresh] = m_known.try_emplace({c.group, c.sequence});
        if (fresh)
            for (const auto& r : m_o.ranks) {
                const BoardCollective* theirs = collectiveOf(r, c.group);
                if (!m_groups.contains(c.group, r.rank) || (theirs && theirs->sequence >= c.sequence))
                    continue;
                at->second.first = at->second.count++ == 0 ? r.rank : at->second.first;
            }
        return at->second;
    }

private:
    const Observation& m_o;
    const ProcessGroups& m_groups;
    std::map<std::pair<std::uint32_t, std::uint64_t>, MissingRanks> m_known;
};

RankStatus running(const RankObservation& r, const Observation& o, const Incident* holds, Missing& missing) {
    const BoardSnapshot& b = *r.board;
    if (holds)
        return {RankState::Holder, holdWords(*holds, o.nowNs)};
    if (const BoardCollective* c = oldestOpen(b); c && o.nowNs - c->arrivedNs >= kVisibleWaitNs) {
        const auto& who = missing.of(*c);
        const Duration time = since(o.nowNs, c->arrivedNs);
        const Message what = tagWords(c->tag);
        return {RankState::Waiting, who.count == 0   ? Message("inside {} for {}", what, time)
                                    : who.count == 1 ? Message("waiting {} for rank {} in {}", time, who.first, what)
                                                     : Message("waiting {} for {} ranks in {}", time, who.count, what)};
    }
    return {RankState::Computing, computingWords(b)};
}

/// For a rank with several open incidents, the current stall counts, not the slow steps before it.
bool tellsMore(const Incident& in, const Incident& than) {
    return blocksRun(in) != blocksRun(than) ? blocksRun(in) : in.openedNs >= than.openedNs;
}

/// Returns, by rank, the open incident of which it is a holder; null if there is none.
std::vector<const Incident*> holdsOf(const Observation& o, const std::vector<Incident>& open) {
    std::vector<const Incident*> holds(o.ranks.size(), nullptr);
    for (const auto& in : open) {
        const bool uncertain = in.evidence.missing == kLostRecords || in.evidence.missing == kHiddenGroup ||
                               in.evidence.missing == kWhichSide;
        if (in.cause == Cause::NotFinite || in.cause == Cause::EmptyBatch || in.cause == Cause::AskedToLeave ||
            in.cause == Cause::MemoryRunsOut || uncertain)
            continue;
        for (const int h : in.holders) {
            if (h < 0 || static_cast<std::size_t>(h) >= holds.size())
                continue;
            const Incident*& known = holds[static_cast<std::size_t>(h)];
            if (!known || tellsMore(in, *known))
                known = &in;
        }
    }
    return holds;
}

RankStatus statusOf(const RankObservation& r, const Observation& o, const Incident* holds, Missing& missing,
                    std::size_t joined) {
    const std::int64_t step = r.board ? r.board->step : -1;
    const bool finished = r.board && telemetry::hasLeft(r.board->stage);
    if (isBadEnd(r.process) && !(r.process.state == ProcessView::State::Gone && finished))
        return {RankState::Dead, deadWords(r.process, step)};
    if (isDead(r.process) || finished)
        return {RankState::Finished, step == 0 ? Message("{} step", Count{1}) : Message("{} steps", Count{step + 1})};
    if (r.process.state == ProcessView::State::Stopped)
        return {RankState::Stopped,
                {"stopped by {} {} ago", signalName(r.process.signal ? r.process.signal : SIGSTOP),
                 since(o.nowNs, r.process.sinceNs)}};
    if (!r.board || r.board->stage == RankStage::Starting)
        return {RankState::Starting, "starting"};
    if (r.board->stage == RankStage::Joining)
        return {RankState::Starting, {"joining {} of {}", joined, o.ranks.size()}};
    if (r.board->stage == RankStage::Failed)
        return {RankState::Dead, "ending after a failure"};
    return running(r, o, holds, missing);
}

} // namespace

std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open,
                                     const ProcessGroups& groups) {
    const SanitizedObservation plausible(observation);
    const Observation& o = plausible.get();
    const auto joined = static_cast<std::size_t>(std::count_if(
        o.ranks.begin(), o.ranks.end(), [](const auto& r) { return r.board && r.board->stage >= RankStage::Joining; }));
    std::vector<RankStatus> result;
    result.reserve(o.ranks.size());
    Missing missing(o, groups);
    const auto holds = holdsOf(o, open);
    for (std::size_t r = 0; r < o.ranks.size(); ++r)
        result.push_back(statusOf(o.ranks[r], o, holds[r], missing, joined));
    return result;
}

std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open) {
    return rankStatuses(observation, open, {});
}

} // namespace rankscope::diagnosis
