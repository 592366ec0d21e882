// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/format/process_groups.h"

#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <numeric>

namespace rankscope::telemetry {

static constexpr std::uint32_t kDefaultGroup = 0;

void ProcessGroups::add(const GroupRecord& record) {
    if (record.size < 1 || record.size > kMaxRanks || record.firstRank < 0 || record.firstRank > kMaxRanks)
        return;
    const RecordedGroup* known = find(record.group);
    if (known && known->isComplete())
        return; // another member says the same
    for (std::size_t bit = 0; bit < 8 * record.members.size(); ++bit)
        if ((record.members[bit / 8] >> bit % 8 & 1) != 0)
            addMember(record.group, static_cast<std::size_t>(record.size), record.firstRank + static_cast<int>(bit));
}

void ProcessGroups::addMember(std::uint32_t number, std::size_t size, int rank) {
    if (number == kDefaultGroup || rank < 0 || rank >= kMaxRanks || m_members >= kMostMembers ||
        (m_groups.size() >= kMostGroups && !m_groups.contains(number)))
        return;
    RecordedGroup& group = m_groups[number];
    group.size = size;
    const auto at = std::lower_bound(group.ranks.begin(), group.ranks.end(), rank);
    if (at != group.ranks.end() && *at == rank)
        return;
    group.ranks.insert(at, rank);
    ++m_members;
}

const ProcessGroups::RecordedGroup* ProcessGroups::find(std::uint32_t group) const {
    auto at = m_groups.find(group);
    if (at == m_groups.end())
        at = m_groups.find(group & ~kMessagesOfGroup);
    return at == m_groups.end() ? nullptr : &at->second;
}

std::vector<int> ProcessGroups::membersOf(std::uint32_t group, int world) const {
    std::vector<int> ranks;
    if (const RecordedGroup* recorded = find(group)) {
        if (recorded->isComplete())
            std::copy_if(recorded->ranks.begin(), recorded->ranks.end(), std::back_inserter(ranks),
                         [world](int rank) { return rank < world; });
        return ranks;
    }
    ranks.resize(static_cast<std::size_t>(std::max(0, world)));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

bool ProcessGroups::contains(std::uint32_t group, int rank) const {
    const RecordedGroup* recorded = find(group);
    return !recorded || std::binary_search(recorded->ranks.begin(), recorded->ranks.end(), rank);
}

int ProcessGroups::sizeOf(std::uint32_t group, int world) const {
    const RecordedGroup* recorded = find(group);
    if (!recorded)
        return world;
    return recorded->isComplete() ? static_cast<int>(recorded->size) : -1;
}

bool ProcessGroups::isPair(std::uint32_t group) const {
    const RecordedGroup* recorded = find(group);
    return recorded && recorded->size == 2;
}

void ProcessGroups::save(ByteEncoder& out) const {
    out.number(m_groups.size());
    for (const auto& [number, group] : m_groups) {
        out.number(number);
        out.number(group.size);
        out.number(group.ranks.size());
        int last = 0;
        for (const int rank : group.ranks) {
            out.difference(rank, last);
            last = rank;
        }
    }
}

bool ProcessGroups::load(ByteDecoder& in) {
    m_groups.clear();
    m_members = 0;
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        RecordedGroup& group = m_groups[static_cast<std::uint32_t>(in.number())];
        group.size = static_cast<std::size_t>(in.below<std::uint64_t>(kMaxRanks + 1));
        std::int64_t last = -1;
        group.ranks.resize(in.count());
        m_members += group.ranks.size();
        for (int& rank : group.ranks) {
            const std::int64_t next = in.difference(std::max<std::int64_t>(last, 0));
            if (next <= last || next >= kMaxRanks)
                in.fail();
            last = next;
            rank = static_cast<int>(in.ok() ? next : 0);
        }
    }
    return in.ok() && m_groups.size() <= kMostGroups && m_members <= kMostMembers;
}

} // namespace rankscope::telemetry
