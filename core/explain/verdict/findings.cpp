// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/findings.h"

#include "core/explain/collectives/collective_name.h"

#include <algorithm>
#include <map>

namespace rankscope::explain {
namespace {

constexpr std::size_t kPlacesOfRows = 3;
constexpr std::int64_t kLeastBehind = 3;

} // namespace

Message callName(const CollectiveCall& call) {
    if (call.op == CollectiveOp::Unknown && !call.sequence)
        return "a collective";
    const std::string name(operationName(call.op));
    Message text = call.op == CollectiveOp::Unknown ? Message("collective {}", Count{*call.sequence})
                   : call.sequence                  ? Message(name + " " + formatCount(*call.sequence))
                                                    : Message(name);
    return call.group.empty() ? text : Message("{} of group {}", std::move(text), call.group);
}

Message callWithElements(const CollectiveCall& call) {
    if (!call.elementsIn)
        return callName(call);
    return *call.elementsIn == 1 ? Message("{} of 1 element", callName(call))
                                 : Message("{} of {} elements", callName(call), Count{*call.elementsIn});
}

std::vector<Place> placesOf(const std::vector<RankRow>& rows, RankRow::Presence presence) {
    std::vector<Place> places;
    for (const RankRow& row : rows)
        if (row.presence == presence && !row.places.empty() && places.size() < kPlacesOfRows)
            places.push_back(row.places.front());
    return places;
}

std::optional<BatchesBehind> batchesBehind(const std::vector<Progress>& progress) {
    std::map<int, const Progress*> byRank; // the furthest of each rank
    std::int64_t epoch = -1;
    for (const Progress& one : progress)
        epoch = std::max(epoch, one.epoch);
    for (const Progress& one : progress) {
        if (!one.rank || one.epoch != epoch)
            continue;
        const auto [found, isNew] = byRank.try_emplace(*one.rank, &one);
        if (!isNew && found->second->batch < one.batch)
            found->second = &one;
    }
    BatchesBehind behind{{}, INT64_MAX, 0, {}};
    for (const auto& [rank, one] : byRank) {
        behind.fewest = std::min(behind.fewest, one->batch);
        behind.most = std::max(behind.most, one->batch);
    }
    const std::int64_t gap = std::max(kLeastBehind, behind.most / 10);
    for (const auto& [rank, one] : byRank)
        if (behind.most - one->batch >= gap) {
            behind.ranks.push_back(rank);
            if (behind.places.size() < kPlacesOfRows)
                behind.places.push_back(one->place);
        }
    return byRank.size() > 1 && !behind.ranks.empty() ? std::optional(std::move(behind)) : std::nullopt;
}

bool atEpochEnd(const std::vector<Progress>& progress) {
    return std::ranges::any_of(progress, [](const Progress& one) {
        return one.batches > 0 && one.batch >= one.batches - std::max<std::int64_t>(1, one.batches / 100);
    });
}

bool isFirst(const HungGroup& hung) {
    if (!hung.call.sequence || *hung.call.sequence > 1)
        return false;
    return std::ranges::none_of(hung.rows, [](const RankRow& row) { return row.lastCompleted.value_or(0) > 0; });
}

} // namespace rankscope::explain
