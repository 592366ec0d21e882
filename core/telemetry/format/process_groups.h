// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/telemetry/format/records.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace rankscope::telemetry {

/// The messages from rank to rank in a group are counted apart from its collectives: under its number with this bit.
inline constexpr std::uint32_t kMessagesOfGroup = 0x8000'0000u;

/// Which ranks belong to which process group, from the ranks' records of their groups. A group without a record, and
/// group 0, have all ranks.
class ProcessGroups {
public:
    /// More groups, or more members in all, are ignored: a journal may contain anything.
    static constexpr std::size_t kMostGroups = 4096, kMostMembers = std::size_t{1} << 20;

    /// Adds what a record says. A group that reaches further than one record is known once all of it was said.
    void add(const GroupRecord& record);
    /// Adds one member of a group of that many ranks.
    void addMember(std::uint32_t group, std::size_t size, int rank);
    bool hasRecords() const { return !m_groups.empty(); }
    /// Returns whether the group has its own record.
    bool isRecorded(std::uint32_t group) const { return find(group) != nullptr; }
    /// Returns the group's ranks, ascending, of a run with `world` ranks. Empty: its records are not complete.
    std::vector<int> membersOf(std::uint32_t group, int world) const;
    bool contains(std::uint32_t group, int rank) const;
    /// Returns the number of ranks that enter each collective of the group; -1: its records are not complete.
    int sizeOf(std::uint32_t group, int world) const;
    /// Returns whether the group has exactly two ranks, one of which may send what the other one receives.
    bool isPair(std::uint32_t group) const;

    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not a valid state.
    bool load(ByteDecoder& in);

private:
    struct RecordedGroup {
        std::size_t size = 0;   ///< as the records say
        std::vector<int> ranks; ///< ascending
        bool isComplete() const { return ranks.size() == size; }
    };
    const RecordedGroup* find(std::uint32_t group) const;

    std::map<std::uint32_t, RecordedGroup> m_groups;
    std::size_t m_members = 0; ///< of all groups
};

} // namespace rankscope::telemetry
