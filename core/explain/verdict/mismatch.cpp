// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/mismatch.h"

#include "core/explain/collectives/collective_name.h"

#include <algorithm>
#include <map>
#include <set>

namespace rankscope::explain {
namespace {

using Kind = MismatchFound::Kind;
using Side = MismatchFound::Side;

constexpr std::size_t kPlacesOfMismatch = 3;

/// Operations of which all ranks give the same number of elements.
bool sameSizes(CollectiveOp op) {
    return op == CollectiveOp::AllReduce || op == CollectiveOp::Broadcast || op == CollectiveOp::AllGather ||
           op == CollectiveOp::ReduceScatter || op == CollectiveOp::Reduce;
}

bool differ(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    return a && b && *a != *b;
}
bool differ(const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && a != b;
}

std::optional<Kind> difference(const CollectiveCall& a, const CollectiveCall& b) {
    const bool known = a.op != CollectiveOp::Unknown && b.op != CollectiveOp::Unknown;
    if (known && a.op != b.op)
        return Kind::Operations;
    if (known && sameSizes(a.op) && (differ(a.elementsIn, b.elementsIn) || differ(a.elementsOut, b.elementsOut)))
        return Kind::Sizes;
    if (differ(canonicalType(a.dtype), canonicalType(b.dtype)))
        return Kind::Types;
    return std::nullopt;
}

/// Puts the side of most ranks first and names the others.
void orderSides(MismatchFound& found) {
    std::ranges::stable_sort(found.sides, [](const Side& a, const Side& b) { return a.ranks.size() > b.ranks.size(); });
    const bool tie = found.sides.size() > 1 && found.sides[0].ranks.size() == found.sides[1].ranks.size();
    std::set<int> ranks;
    for (std::size_t i = tie ? 0 : 1; i < found.sides.size(); ++i)
        ranks.insert(found.sides[i].ranks.begin(), found.sides[i].ranks.end());
    found.differing.assign(ranks.begin(), ranks.end());
}

void addPlaceOf(const RankFacts& rank, std::vector<Place>& places) {
    if (places.size() < kPlacesOfMismatch && !rank.places.empty())
        places.push_back(rank.places.front());
}

Side& addCall(std::vector<Side>& sides, const CollectiveCall& call, std::optional<int> rank, bool byNumber = false) {
    auto side = std::ranges::find_if(sides, [&](const Side& s) {
        return !difference(s.call, call) && !(byNumber && differ(s.call.sequence, call.sequence));
    });
    if (side == sides.end()) {
        sides.push_back({call, {}, {}});
        side = sides.end() - 1;
    }
    if (rank && std::ranges::find(side->ranks, *rank) == side->ranks.end()) {
        side->ranks.push_back(*rank);
        std::ranges::sort(side->ranks);
    }
    return *side;
}

Kind kindOf(const std::vector<Side>& sides) {
    for (std::size_t i = 1; i < sides.size(); ++i)
        if (const auto kind = difference(sides[0].call, sides[i].call))
            return *kind;
    return sides.size() > 1 ? Kind::Numbers : Kind::Unknown;
}

/// Returns the call with the elements of its first tensor.
CollectiveCall withElements(const CollectiveMismatch::Side& side) {
    CollectiveCall call = side.call;
    if (call.elementsIn || side.shape.empty())
        return call;
    std::int64_t elements = 1;
    for (const std::int64_t size : side.shape)
        if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
            return call;
    call.elementsIn = elements;
    return call;
}

/// Compares the calls of all ranks with the same number, from the oldest one on that not all ranks have left.
std::optional<MismatchFound> atSameNumber(const GroupFacts& group) {
    std::map<std::int64_t, std::vector<Side>> byNumber;
    for (const auto& [number, rank] : group.ranks) {
        for (const auto& [sequence, entry] : rank.calls)
            if (sequence > rank.completed.value_or(-1))
                byNumber[sequence]; // not left by this rank: compare it
        if (rank.open && rank.open->sequence)
            byNumber[*rank.open->sequence];
    }
    for (auto& [sequence, sides] : byNumber) {
        std::vector<Place> places;
        for (const auto& [number, rank] : group.ranks) {
            const auto dumped = rank.calls.find(sequence);
            const bool isOpen = rank.open && rank.open->sequence == sequence;
            if (!isOpen && dumped == rank.calls.end())
                continue;
            addPlaceOf(rank, addCall(sides, isOpen ? *rank.open : dumped->second->call, number).places);
            addPlaceOf(rank, places);
        }
        if (sides.size() < 2)
            continue;
        MismatchFound found{kindOf(sides), false, std::move(sides), {}, std::move(places)};
        orderSides(found);
        return found;
    }
    return std::nullopt;
}

/// Compares open calls without numbers, as Gloo's messages give them, by operation and line of the program.
std::optional<MismatchFound> withoutNumbers(const GroupFacts& group) {
    std::vector<Side> byOperation, byPlace;
    std::vector<Place> places;
    for (const auto& [number, rank] : group.ranks) {
        if (!rank.open || rank.open->sequence)
            continue;
        addPlaceOf(rank, addCall(byOperation, *rank.open, number).places);
        if (rank.open->codePlace.empty())
            continue;
        const std::string& place = rank.open->codePlace;
        auto side = std::ranges::find_if(byPlace, [&](const Side& s) { return s.call.codePlace == place; });
        if (side == byPlace.end())
            side = byPlace.insert(byPlace.end(), {*rank.open, {}, {}});
        side->ranks.push_back(number);
        addPlaceOf(rank, side->places);
        addPlaceOf(rank, places);
    }
    const bool operations = byOperation.size() > 1;
    if (!operations && byPlace.size() < 2)
        return std::nullopt;
    MismatchFound found{operations ? kindOf(byOperation) : Kind::Places,
                        false,
                        operations ? std::move(byOperation) : std::move(byPlace),
                        {},
                        std::move(places)};
    orderSides(found);
    return found;
}

struct Waiting {
    std::set<int> inside, missing;
};

/// Returns who waits in a group and for whom.
Waiting waitingIn(const GroupFacts& group, std::optional<int> worldSize) {
    Waiting waiting;
    std::int64_t newest = -1;
    for (const auto& [number, rank] : group.ranks)
        if (rank.open) {
            waiting.inside.insert(number);
            newest = std::max(newest, rank.open->sequence.value_or(-1));
        }
    std::vector<int> members = group.members; // Gloo's dumps do not list them, but have calls of them
    for (const auto& [number, rank] : group.ranks)
        members.push_back(number);
    if (worldSize && (group.name.empty() || *worldSize == 2) && *worldSize <= (1 << 16))
        for (int rank = 0; rank < *worldSize; ++rank)
            members.push_back(rank);
    for (const int rank : members)
        if (!waiting.inside.contains(rank)) {
            const auto facts = group.ranks.find(rank);
            if (facts == group.ranks.end() || facts->second.entered.value_or(-1) < newest)
                waiting.missing.insert(rank);
        }
    return waiting;
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
    return std::ranges::any_of(a, [&](int rank) { return b.contains(rank); });
}

Side sideOf(const GroupFacts& group) {
    Side side;
    for (const auto& [number, rank] : group.ranks)
        if (rank.open) {
            side.call = *rank.open;
            side.ranks.push_back(number);
            addPlaceOf(rank, side.places);
        }
    return side;
}

} // namespace

namespace {
/// Gloo ends the process that receives another number of bytes than it waits for. It does not say of which rank.
std::optional<MismatchFound> saidByGloo(const HangEvidence& evidence) {
    for (const RankEnd& end : evidence.ends)
        if (end.text.find("op.preamble.length") != std::string::npos ||
            end.text.find("data size doesn't match expected size") != std::string::npos) {
            MismatchFound found;
            found.kind = Kind::Sizes;
            found.seen = true;
            found.places = {end.place};
            return found;
        }
    return std::nullopt;
}
} // namespace

std::optional<MismatchFound> saidMismatch(const HangEvidence& evidence) {
    if (evidence.mismatches.empty())
        return saidByGloo(evidence);
    MismatchFound found;
    found.seen = true;
    for (const auto& mismatch : evidence.mismatches) {
        for (const auto& side : mismatch.sides)
            addCall(found.sides, withElements(side), side.rank, true);
        if (found.places.size() < kPlacesOfMismatch)
            found.places.push_back(mismatch.place);
    }
    found.kind = kindOf(found.sides);
    orderSides(found);
    return found;
}

std::optional<MismatchFound> mismatchIn(const GroupFacts& group) {
    auto found = atSameNumber(group);
    return found ? found : withoutNumbers(group);
}

std::optional<MismatchFound> crossedGroups(const std::vector<GroupFacts>& groups, std::optional<int> worldSize) {
    std::vector<Waiting> waiting;
    for (const GroupFacts& group : groups)
        waiting.push_back(waitingIn(group, worldSize));
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = a + 1; b < groups.size(); ++b) {
            if (!meet(waiting[a].inside, waiting[b].missing) || !meet(waiting[b].inside, waiting[a].missing))
                continue;
            MismatchFound found{Kind::Groups, false, {sideOf(groups[a]), sideOf(groups[b])}, {}, {}};
            for (const std::size_t i : {a, b})
                for (const auto& [number, rank] : groups[i].ranks)
                    if (rank.open)
                        addPlaceOf(rank, found.places);
            orderSides(found);
            return found;
        }
    return std::nullopt;
}

} // namespace rankscope::explain
