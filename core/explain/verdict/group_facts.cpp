// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/group_facts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::explain {
namespace {

constexpr std::size_t kPlacesOfRank = 3, kMostComparedGroups = 256; // groups are compared in pairs

using Groups = std::map<std::string, GroupFacts>;

GroupFacts& groupOf(Groups& groups, std::string_view written) {
    const std::string name = groupName(written);
    GroupFacts& group = groups[name];
    group.name = name;
    return group;
}

void raise(std::optional<std::int64_t>& value, std::optional<std::int64_t> other) {
    if (other && *other >= 0 && (!value || *value < *other))
        value = other;
}

/// Adds what `more` says and `call` does not.
void complete(CollectiveCall& call, const CollectiveCall& more) {
    if (call.op == CollectiveOp::Unknown)
        call.op = more.op;
    for (auto part : {&CollectiveCall::writtenOp, &CollectiveCall::dtype, &CollectiveCall::codePlace})
        if ((call.*part).empty())
            call.*part = more.*part;
    for (auto part : {&CollectiveCall::sequence, &CollectiveCall::elementsIn, &CollectiveCall::elementsOut})
        if (!(call.*part))
            call.*part = more.*part;
}

void addPlace(std::vector<Place>& places, const Place& place) {
    const bool known =
        std::ranges::any_of(places, [&](const Place& p) { return p.file == place.file && p.line == place.line; });
    if (!known && places.size() < kPlacesOfRank)
        places.push_back(place);
}

/// The watchdog's first line does not name the group, the second one of the same rank and collective does.
std::map<std::pair<int, std::int64_t>, std::string> namedGroups(const HangEvidence& evidence) {
    std::map<std::pair<int, std::int64_t>, std::string> names;
    for (const auto& timeout : evidence.timeouts)
        if (timeout.rank && timeout.call.sequence && !timeout.call.group.empty())
            names[{*timeout.rank, *timeout.call.sequence}] = timeout.call.group;
    return names;
}

/// Returns true if the timeout's collective is older than `open`, or `open` is none.
bool isOlder(const CollectiveCall& call, const std::optional<CollectiveCall>& open) {
    return !open || (call.sequence && open->sequence && *call.sequence < *open->sequence);
}

/// A rank in its group is a position in the group's list of members, where a dump has the list.
int globalRank(const GroupFacts& group, int rank) {
    const bool listed = !group.name.empty() && rank >= 0 && static_cast<std::size_t>(rank) < group.members.size();
    return listed ? group.members[static_cast<std::size_t>(rank)] : rank;
}

void addTimeouts(Groups& groups, const HangEvidence& evidence) {
    const auto named = namedGroups(evidence);
    for (const auto& timeout : evidence.timeouts) {
        if (!timeout.rank)
            continue;
        CollectiveCall call = timeout.call;
        if (call.group.empty() && call.sequence)
            if (const auto found = named.find({*timeout.rank, *call.sequence}); found != named.end())
                call.group = found->second;
        GroupFacts& group = groupOf(groups, call.group);
        RankFacts& rank = group.ranks[timeout.globalRank.value_or(globalRank(group, *timeout.rank))];
        call.group = group.name;
        raise(rank.entered, timeout.lastEnqueued);
        raise(rank.completed, timeout.lastCompleted);
        addPlace(rank.places, timeout.place);
        if (timeout.countsOnly)
            continue;
        raise(rank.entered, call.sequence);
        if (isOlder(call, rank.open)) {
            rank.open = std::move(call);
            rank.waitedMs.reset();
        } else if (!call.sequence || !rank.open->sequence || call.sequence == rank.open->sequence) {
            complete(*rank.open, call);
        } else {
            continue;
        }
        rank.timedOut = true;
        raise(rank.waitedMs, timeout.waitedMs > 0 ? std::optional(timeout.waitedMs) : std::nullopt);
    }
}

bool isTransfer(CollectiveOp op) {
    return op == CollectiveOp::Send || op == CollectiveOp::Receive;
}

void addMembers(Groups& groups, const HangEvidence& evidence) {
    for (const DumpedRank& dump : evidence.dumps)
        for (const auto& written : dump.groups) {
            auto& members = groupOf(groups, written.name).members;
            members.insert(members.end(), written.ranks.begin(), written.ranks.end());
            std::ranges::sort(members);
            members.erase(std::unique(members.begin(), members.end()), members.end());
        }
}

void addDumps(Groups& groups, const HangEvidence& evidence) {
    for (const DumpedRank& dump : evidence.dumps) {
        if (!dump.rank)
            continue;
        for (const auto& written : dump.groups) {
            GroupFacts& group = groupOf(groups, written.name);
            if (!written.ranks.empty() && std::ranges::find(written.ranks, *dump.rank) == written.ranks.end())
                continue;
            RankFacts& rank = group.ranks[*dump.rank];
            rank.inDump = true;
            raise(rank.entered, written.lastEnqueued);
            raise(rank.completed, written.lastCompleted);
            addPlace(rank.places, dump.place);
        }
        for (const auto& entry : dump.entries) {
            if (!entry.call.sequence || isTransfer(entry.call.op))
                continue;
            RankFacts& rank = groupOf(groups, entry.call.group).ranks[*dump.rank];
            rank.inDump = true;
            const DumpedRank::Entry*& known = rank.calls[*entry.call.sequence];
            if (!known || known->call.codePlace.empty()) // the JSON form of the same dump has no lines of code
                known = &entry;
            raise(rank.entered, entry.call.sequence);
            addPlace(rank.places, dump.place);
        }
    }
}

using State = DumpedRank::Entry::State;

/// Whether a rank has left a collective. A work object that is gone was waited for, or has failed: the newest one
/// counts only if another rank went further.
bool isDone(const RankFacts& rank, std::int64_t sequence, const DumpedRank::Entry& entry, std::int64_t furthest) {
    if (entry.state == State::Completed || (rank.completed && sequence <= *rank.completed))
        return true;
    return entry.retired && (sequence < rank.entered.value_or(sequence) || sequence < furthest);
}

/// Finds the oldest open collective of each dumped rank.
void findOpen(GroupFacts& group) {
    std::int64_t furthest = -1;
    bool waits = false; // some rank is inside the newest collective for certain
    for (const auto& [number, rank] : group.ranks)
        furthest = std::max(furthest, rank.entered.value_or(-1));
    for (const auto& [number, rank] : group.ranks) {
        const auto newest = rank.calls.find(furthest);
        waits = waits || rank.timedOut || (newest != rank.calls.end() && !newest->second->retired);
        waits = waits || rank.entered.value_or(furthest) < furthest;
    }
    for (auto& [number, rank] : group.ranks) {
        for (const auto& [sequence, entry] : rank.calls) {
            if (isDone(rank, sequence, *entry, furthest)) {
                raise(rank.completed, sequence);
                continue;
            }
            if (sequence == furthest && entry->retired && !waits)
                continue; // all ranks came to its end, or none did
            if (rank.open && rank.open->sequence == sequence)
                complete(*rank.open, entry->call);
            else if (isOlder(entry->call, rank.open) || !rank.open->sequence)
                rank.open = entry->call;
            rank.open->group = group.name;
            if (entry->createdNs > 0)
                rank.sinceNs = entry->createdNs;
            break;
        }
    }
}

} // namespace

std::string groupName(std::string_view written) {
    constexpr std::array kDefault{"0", "default_pg", "0(default_pg)", "0:default_pg"};
    return std::ranges::find(kDefault, written) != kDefault.end() ? std::string() : std::string(written);
}

std::vector<GroupFacts> groupFacts(const HangEvidence& evidence) {
    Groups groups;
    groupOf(groups, "");
    addMembers(groups, evidence);
    addTimeouts(groups, evidence);
    addDumps(groups, evidence);
    std::vector<GroupFacts> all;
    for (auto& [name, group] : groups) {
        findOpen(group);
        const bool hangs =
            std::ranges::any_of(group.ranks, [](const auto& one) { return one.second.open.has_value(); });
        if (name.empty() || (hangs && all.size() < kMostComparedGroups))
            all.push_back(std::move(group));
    }
    return all;
}

} // namespace rankscope::explain
