// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/verdict.h"

#include "core/explain/collectives/collective_name.h"
#include "core/explain/verdict/causes.h"
#include "core/explain/verdict/ended_ranks.h"
#include "core/explain/verdict/findings.h"
#include "core/explain/verdict/remedies.h"

#include <algorithm>
#include <utility>

namespace rankscope::explain {
namespace {

using Presence = RankRow::Presence;
using Kind = MismatchFound::Kind;

std::vector<int> deadRanks(const std::vector<RankEnd>& ends) {
    std::vector<int> ranks;
    for (const RankEnd& end : ends)
        if (end.rank)
            ranks.push_back(*end.rank);
    std::ranges::sort(ranks);
    return ranks;
}

/// Returns whether the ranks only waited for each other at the start.
bool neverMet(const HangEvidence& evidence, const HungGroup& hung) {
    const bool atStart = std::ranges::any_of(evidence.missing, [](const RanksMissing& missing) {
        return missing.where == RanksMissing::Where::Rendezvous || missing.where == RanksMissing::Where::Store;
    });
    const bool inCollective =
        std::ranges::any_of(hung.rows, [](const RankRow& row) { return row.stuckIn || row.lastCompleted; });
    return atStart && !inCollective;
}

std::optional<MismatchFound> findMismatch(const HangEvidence& evidence, const std::vector<GroupFacts>& groups) {
    if (auto said = saidMismatch(evidence))
        return said;
    for (const GroupFacts& group : groups)
        if (auto found = mismatchIn(group))
            return found;
    return crossedGroups(groups, evidence.worldSize);
}

Verdict decide(const Findings& f) {
    const auto has = [&](Presence presence) { return !f.ranks(presence).empty(); };
    if (f.mismatch)
        return Verdict::Mismatch;
    if (!f.ends.empty())
        return Verdict::RankDead;
    if (neverMet(*f.evidence, f.hung))
        return Verdict::NeverStarted;
    if (has(Presence::Absent) || !f.hung.silent.empty())
        return Verdict::RankMissing;
    if (has(Presence::Behind) || f.batches)
        return Verdict::RankBehind;
    if (f.hung.waits && f.hung.allKnown && f.hung.rows.size() > 1 && has(Presence::Reports) &&
        std::ranges::all_of(f.hung.rows,
                            [](const RankRow& row) { return row.presence == Presence::Reports && row.stuckIn; }))
        return Verdict::EveryoneInside;
    return Verdict::NotEnoughData;
}

Message sideText(const MismatchFound::Side& side, Kind kind) {
    Message call = kind == Kind::Sizes ? callWithElements(side.call) : callName(side.call);
    if (kind == Kind::Places && !side.call.codePlace.empty())
        call = {"{} ({})", std::move(call), side.call.codePlace};
    if (kind == Kind::Types && !side.call.dtype.empty())
        call = {"{} of {}", std::move(call), side.call.dtype};
    return call;
}

Message mismatchSummary(const MismatchFound& found) {
    const auto& sides = found.sides;
    if (sides.empty())
        return "ranks were in different collectives, or gave different sizes";
    const auto who = [](const MismatchFound::Side& side) {
        return side.ranks.empty() ? Message("a rank") : Message("{}", Ranks{side.ranks});
    };
    if (sides.size() == 1)
        return {"{} called {}, and another rank something else", who(sides[0]), sideText(sides[0], Kind::Sizes)};
    return {"{} called {}, but {} called {}", who(sides[0]), sideText(sides[0], found.kind), who(sides[1]),
            sideText(sides[1], found.kind)};
}

Message deadSummary(const Findings& f) {
    const auto ranks = deadRanks(f.ends);
    const auto waiting = f.ranks(Presence::Reports);
    const Message who = ranks.empty() ? Message("a rank") : Message("{}", Ranks{ranks});
    return waiting.empty() ? Message("{} ended before the others", who)
                           : Message("{} ended, and {} waited in vain", who, Ranks{waiting});
}

Message neverStartedSummary(const Findings& f) {
    const auto missing = f.ranks(Presence::Absent), waiting = f.ranks(Presence::Reports);
    return missing.empty() || waiting.empty()
               ? Message("the ranks did not meet: no collective was run")
               : Message("{} did not come to the first collective, where {} waited", Ranks{missing}, Ranks{waiting});
}

Message behindSummary(const Findings& f) {
    const auto behind = f.ranks(Presence::Behind);
    if (behind.empty())
        return {"{} had done {} batches, others up to {}", Ranks{f.batches->ranks}, Count{f.batches->fewest},
                Count{f.batches->most}};
    const auto row = std::ranges::find(f.hung.rows, behind.front(), &RankRow::rank);
    return {"{} waited in {}, while others waited in {}", Ranks{behind},
            callName(row->stuckIn.value_or(CollectiveCall{})), callName(f.hung.call)};
}

Message unknownSummary(const Findings& f) {
    const auto waiting = f.ranks(Presence::Reports), unknown = f.ranks(Presence::Unknown);
    if (waiting.empty() && !f.stuck.empty())
        return {"not enough data: the watchdog was stuck on {}, and no rank says in which collective it waited",
                Ranks{f.stuck}};
    if (!waiting.empty() && !unknown.empty() && std::ranges::includes(f.stuck, unknown))
        return {"not enough data: {} waited in {}, and it is not known where {} was, because the watchdog there was "
                "stuck",
                Ranks{waiting}, callName(f.hung.call), Ranks{unknown}};
    if (waiting.empty() && (f.hung.waits || !f.evidence->connections.empty()))
        return "not enough data: ranks lost their connections, and nothing says why";
    if (waiting.empty())
        return f.evidence->timeouts.empty()
                   ? Message("not enough data: nothing in the input says that a collective hung")
                   : Message("not enough data: a collective hung, and the input does not say which rank waited in it");
    if (unknown.empty())
        return {"not enough data: {} waited in {}, and it is not known whether there are more ranks", Ranks{waiting},
                callName(f.hung.call)};
    return {"not enough data: {} waited in {}, and it is not known where {} was", Ranks{waiting}, callName(f.hung.call),
            Ranks{unknown}};
}

Message summaryOf(const Findings& f) {
    switch (f.verdict) {
    case Verdict::Mismatch: {
        const auto& differing = f.mismatch->differing;
        const auto raised = std::ranges::find_if(f.ends, [&](const RankEnd& end) {
            return end.rank && !end.text.empty() && std::ranges::binary_search(differing, *end.rank);
        });
        return raised == f.ends.end() ? mismatchSummary(*f.mismatch)
                                      : Message("{} raised an exception, and then {}", Ranks{{*raised->rank}},
                                                mismatchSummary(*f.mismatch));
    }
    case Verdict::RankDead:
        return deadSummary(f);
    case Verdict::NeverStarted:
        return neverStartedSummary(f);
    case Verdict::RankMissing: {
        const auto waiting = f.ranks(Presence::Reports);
        const Ranks missing{f.ranks(Presence::Absent)};
        if (missing.ranks.empty())
            return {"{} probably ended first: {} lost their connections", Ranks{f.hung.silent}, Ranks{waiting}};
        return waiting.empty()
                   ? Message("{} never entered {}", missing, callName(f.hung.call))
                   : Message("{} never entered {}, in which {} waited", missing, callName(f.hung.call), Ranks{waiting});
    }
    case Verdict::RankBehind:
        return behindSummary(f);
    case Verdict::EveryoneInside:
        return {"all {} ranks entered {}, and none left it", f.hung.rows.size(), callName(f.hung.call)};
    case Verdict::NotEnoughData:
        break;
    }
    return unknownSummary(f);
}

/// Says of ranks that were in different collectives where they were, if their dumps say only that it has ended.
void addSides(const MismatchFound& found, std::vector<RankRow>& rows) {
    for (const auto& side : found.sides)
        for (RankRow& row : rows)
            if (row.presence == Presence::Unknown && std::ranges::binary_search(side.ranks, row.rank)) {
                row.presence = Presence::Reports;
                row.stuckIn = side.call;
            }
}

/// Returns the collective to name: of a mismatch, the one of most ranks, or the larger one, whose number says more.
const CollectiveCall& callToName(const Findings& f) {
    if (!f.mismatch || f.mismatch->sides.empty())
        return f.hung.call;
    const auto& sides = f.mismatch->sides;
    const bool tie = sides.size() > 1 && sides[0].ranks.size() == sides[1].ranks.size();
    const bool second = tie && sides[1].call.elementsIn.value_or(0) > sides[0].call.elementsIn.value_or(0);
    return sides[second ? 1 : 0].call;
}

} // namespace

Explanation judge(const HangEvidence& evidence, const std::vector<RecipeCollectives>& recipes) {
    const auto groups = groupFacts(evidence);
    Findings f;
    f.evidence = &evidence;
    f.ends = endsThatCount(evidence);
    f.stuck = ranksWithStuckWatchdog(evidence);
    f.hung = hungGroup(evidence, groups, deadRanks(f.ends));
    f.mismatch = findMismatch(evidence, groups);
    if (f.mismatch)
        addSides(*f.mismatch, f.hung.rows);
    f.batches = batchesBehind(evidence.progress);
    f.verdict = decide(f);
    f.names = nameCollective(callToName(f), recipes);

    Explanation explanation;
    explanation.verdict = f.verdict;
    explanation.summary = summaryOf(f);
    explanation.causes = causesOf(f);
    explanation.now = actionsNow(f, explanation.causes);
    explanation.nextTime = actionsNextTime(f);
    explanation.lacking = lackingOf(f);
    explanation.group = f.hung.group->name;
    explanation.names = std::move(f.names);
    explanation.ranks = std::move(f.hung.rows);
    explanation.files = evidence.files;
    return explanation;
}

} // namespace rankscope::explain
