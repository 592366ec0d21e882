// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/presence.h"

#include "core/explain/verdict/ended_ranks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope::explain {
namespace {

using Presence = RankRow::Presence;

constexpr int kMostRanks = 1 << 16; // a world size that a hostile line names

/// What the input has of ranks, whatever the group.
class InputCoverage {
public:
    explicit InputCoverage(const HangEvidence& evidence)
        : m_complete(evidence.leftOut == 0), m_worldSize(evidence.worldSize.value_or(0)) {
        std::set<std::string> zeroShows, hasProgress; // a progress bar without a rank is rank 0's
        for (const auto& progress : evidence.progress) {
            hasProgress.insert(progress.place.file);
            if (!progress.rank)
                zeroShows.insert(progress.place.file);
        }
        for (const auto& file : evidence.files) {
            if (file.kind == InputFile::Kind::Dump) {
                m_dumps.insert(file.ranks.begin(), file.ranks.end());
                continue;
            }
            // what is cut off at the beginning cannot hide how far a rank came, if a later line says it
            const bool cut = file.startsLate && file.ranks.size() == 1 && !hasProgress.contains(file.name);
            Log log{std::set<int>(file.ranks.begin(), file.ranks.end()), !cut && file.problem.empty(),
                    !file.startsLate || file.isExcerpt};
            if (zeroShows.contains(file.name) && !log.ranks.empty())
                log.ranks.insert(0);
            m_logs.push_back(std::move(log));
        }
    }

    /// Returns true if a log would have a word of the rank if it had said one.
    bool wouldShow(int rank) const {
        bool shown = false;
        for (const Log& log : m_logs) {
            const bool has = log.ranks.contains(rank);
            if (!has && !isPartOf(log, rank))
                continue;
            if (!log.complete || (!has && !log.hasBeginning))
                return false;
            shown = true;
        }
        return shown && m_complete;
    }

    bool hasDumps() const { return !m_dumps.empty(); }
    bool hasDump(int rank) const { return m_dumps.contains(rank); }

    int highest() const {
        int most = -1;
        for (const Log& log : m_logs)
            if (!log.ranks.empty())
                most = std::max(most, *log.ranks.rbegin());
        return m_dumps.empty() ? most : std::max(most, *m_dumps.rbegin());
    }

private:
    struct Log {
        std::set<int> ranks;
        bool complete = true, hasBeginning = true;
    };

    /// Returns whether a silent rank must be one of a joined log's, in which most ranks around it have lines. Behind
    /// the last rank that has lines, or before the first one, the ranks of a whole host may be missing, whose log is
    /// another one: not if no size of a host divides both the number of these ranks and that of all.
    bool isPartOf(const Log& log, int rank) const {
        if (log.ranks.size() < 2)
            return false;
        const int first = *log.ranks.begin(), last = *log.ranks.rbegin();
        if (first <= rank && rank <= last) // many silent ranks are no evidence against one
            return last - first < 2 * std::ssize(log.ranks);
        const int outside = rank < first ? first : m_worldSize - 1 - last;
        return m_logs.size() == 1 && std::gcd(outside, m_worldSize) == 1;
    }

    std::vector<Log> m_logs;
    std::set<int> m_dumps;
    bool m_complete;
    int m_worldSize;
};

/// Returns the ranks that a rank which waited named as missing.
std::set<int> namedMissing(const HangEvidence& evidence) {
    std::set<int> ranks;
    for (const auto& missing : evidence.missing)
        ranks.insert(missing.missing.begin(), missing.missing.end());
    return ranks;
}

/// Returns the ranks that waited for others by name, at a barrier or at the start.
std::set<int> namingRanks(const HangEvidence& evidence) {
    std::set<int> ranks;
    for (const auto& missing : evidence.missing)
        if (missing.rank && std::ranges::find(missing.missing, *missing.rank) == missing.missing.end())
            ranks.insert(*missing.rank);
    return ranks;
}

/// Returns the collective in which most ranks wait; of several, the newest one.
CollectiveCall mostCommon(const GroupFacts& group) {
    std::map<std::int64_t, int> counts;
    for (const auto& [number, rank] : group.ranks)
        if (rank.open)
            ++counts[rank.open->sequence.value_or(-1)];
    std::int64_t chosen = -1;
    int most = 0;
    for (const auto& [sequence, count] : counts)
        if (count >= most) {
            most = count;
            chosen = sequence;
        }
    CollectiveCall call;
    for (const auto& [number, rank] : group.ranks)
        if (rank.open && rank.open->sequence.value_or(-1) == chosen &&
            (call.op == CollectiveOp::Unknown || (!call.elementsIn && rank.open->elementsIn)))
            call = *rank.open;
    call.group = group.name;
    return call;
}

std::vector<int> membersOf(const HangEvidence& evidence, const GroupFacts& group, const InputCoverage& coverage,
                           const std::vector<int>& dead) {
    std::set<int> ranks(group.members.begin(), group.members.end());
    for (const auto& [number, facts] : group.ranks)
        ranks.insert(number);
    if (group.name.empty()) { // Gloo's dumps do not list all of its members
        int size = std::max(evidence.worldSize.value_or(0), coverage.highest() + 1);
        for (const auto& [number, facts] : group.ranks)
            size = std::max(size, number + 1);
        for (const int rank : namedMissing(evidence))
            ranks.insert(rank);
        for (const int rank : ranksThatWaited(evidence))
            size = std::max(size, rank + 1);
        for (const auto& report : evidence.monitors)
            size = std::max(size, report.rank.value_or(-1) + 1);
        for (const int rank : dead)
            size = std::max(size, rank + 1);
        for (const auto& progress : evidence.progress)
            size = std::max(size, progress.rank.value_or(-1) + 1);
        for (int rank = 0; rank < std::min(size, kMostRanks); ++rank)
            ranks.insert(rank);
    }
    std::erase_if(ranks, [](int rank) { return rank < 0 || rank >= kMostRanks; });
    return {ranks.begin(), ranks.end()};
}

RankRow rowOf(int rank, const RankFacts* facts) {
    RankRow row;
    row.rank = rank;
    if (facts) {
        row.lastCompleted = facts->completed;
        row.stuckIn = facts->open;
        row.waitedMs = facts->waitedMs;
        row.sinceNs = facts->sinceNs;
        row.places = facts->places;
        if (!row.lastCompleted && facts->open && facts->open->sequence && *facts->open->sequence > 0)
            row.lastCompleted = *facts->open->sequence - 1; // the oldest open one
    }
    return row;
}

/// Returns where a rank is that has an open collective; `call`: in which most others wait.
Presence whileWaiting(const CollectiveCall& open, const CollectiveCall& call) {
    return open.sequence && call.sequence && *open.sequence < *call.sequence ? Presence::Behind : Presence::Reports;
}

/// Returns what a rank's counts say; Unknown if there are none. A full ring of entries has the newest ones.
Presence byCounts(const RankFacts& facts, const CollectiveCall& call) {
    if (!call.sequence)
        return Presence::Unknown;
    if (facts.completed && *facts.completed >= *call.sequence)
        return Presence::Done;
    return facts.entered && *facts.entered < *call.sequence ? Presence::Absent : Presence::Unknown;
}

HungGroup describe(const HangEvidence& evidence, const GroupFacts& group, const InputCoverage& coverage,
                   const std::vector<int>& dead) {
    HungGroup hung;
    hung.group = &group;
    hung.call = mostCommon(group);
    const auto named = namedMissing(evidence), naming = namingRanks(evidence);
    const auto waited = ranksThatWaited(evidence), stuck = ranksWithStuckWatchdog(evidence);
    const bool open = std::ranges::any_of(group.ranks, [](const auto& one) { return one.second.open.has_value(); });
    hung.waits = open || (group.name.empty() && !waited.empty());
    const bool together = std::ranges::none_of(group.ranks, [&](const auto& one) {
        return one.second.open && whileWaiting(*one.second.open, hung.call) == Presence::Behind;
    }); // else it is not known which of the collectives a silent rank did not enter
    for (const int rank : membersOf(evidence, group, coverage, dead)) {
        const auto found = group.ranks.find(rank);
        const RankFacts* facts = found == group.ranks.end() ? nullptr : &found->second;
        RankRow row = rowOf(rank, facts);
        if (std::ranges::binary_search(dead, rank))
            row.presence = Presence::Dead;
        else if (facts && facts->open && !(named.contains(rank) && !facts->open->sequence))
            row.presence = whileWaiting(*facts->open, hung.call);
        else if (named.contains(rank))
            row.presence = Presence::Absent;
        else if (hung.waits && facts && byCounts(*facts, hung.call) != Presence::Unknown)
            row.presence = byCounts(*facts, hung.call);
        else if (group.name.empty() && naming.contains(rank))
            row.presence = Presence::Reports;
        else if (group.name.empty() && std::ranges::binary_search(waited, rank))
            row.presence = open ? Presence::Unknown : Presence::Reports; // it lost a connection
        else if (hung.waits && together && group.name.empty() && coverage.wouldShow(rank) &&
                 !std::ranges::binary_search(stuck, rank)) {
            if (open)
                row.presence = Presence::Absent;
            else // a lost connection does not say what the rank did before it ended
                hung.silent.push_back(rank);
        }
        hung.rows.push_back(std::move(row));
    }
    hung.allKnown = group.name.empty() ? evidence.worldSize && std::ssize(hung.rows) >= *evidence.worldSize
                                       : !group.members.empty();
    const auto unknown = ranksWith(hung.rows, Presence::Unknown);
    const bool onlyThese = hung.waits && hung.allKnown && coverage.hasDumps() && unknown.size() < hung.rows.size() &&
                           std::ranges::none_of(unknown, [&](int rank) { return coverage.hasDump(rank); });
    if (onlyThese)
        hung.proven = unknown;
    return hung;
}

/// Returns true if a rank that `one` waits for waits in another group.
bool isExplained(const HungGroup& one, const std::vector<HungGroup>& all) {
    for (const RankRow& row : one.rows) {
        if (row.presence == Presence::Reports || row.presence == Presence::Behind)
            continue;
        for (const HungGroup& other : all)
            if (other.group != one.group)
                if (const auto facts = other.group->ranks.find(row.rank);
                    facts != other.group->ranks.end() && facts->second.open)
                    return true;
    }
    return false;
}

std::int64_t longestWait(const HungGroup& hung) {
    std::int64_t longest = 0;
    for (const RankRow& row : hung.rows)
        longest = std::max(longest, row.waitedMs.value_or(0));
    return longest;
}

std::int64_t earliest(const HungGroup& hung) {
    std::int64_t first = INT64_MAX;
    for (const RankRow& row : hung.rows)
        first = std::min(first, row.sinceNs.value_or(INT64_MAX));
    return first;
}

} // namespace

std::vector<int> ranksWith(const std::vector<RankRow>& rows, Presence presence) {
    std::vector<int> ranks;
    for (const RankRow& row : rows)
        if (row.presence == presence)
            ranks.push_back(row.rank);
    return ranks;
}

HungGroup hungGroup(const HangEvidence& evidence, const std::vector<GroupFacts>& groups, const std::vector<int>& dead) {
    const InputCoverage coverage(evidence);
    std::vector<HungGroup> all;
    for (const GroupFacts& group : groups)
        all.push_back(describe(evidence, group, coverage, dead));
    const auto hasOpen = [](const HungGroup& hung) {
        return std::ranges::any_of(hung.rows, [](const RankRow& row) { return row.stuckIn.has_value(); });
    };
    const auto rank = [&](const HungGroup& hung) {
        return std::tuple(!hasOpen(hung), isExplained(hung, all), -longestWait(hung), earliest(hung));
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (rank(all[i]) < rank(all[best]))
            best = i;
    return std::move(all[best]);
}

} // namespace rankscope::explain
