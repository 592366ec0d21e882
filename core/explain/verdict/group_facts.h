// SPDX-License-Identifier: Apache-2.0
// What logs and dumps together say about each process group: which rank entered and left which collective.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

/// One rank in one group.
struct RankFacts {
    std::optional<CollectiveCall> open;                     ///< the oldest collective that it entered and did not leave
    std::optional<std::int64_t> entered, completed;         ///< the newest sequence numbers
    std::optional<std::int64_t> waitedMs, sinceNs;          ///< in `open`
    std::map<std::int64_t, const DumpedRank::Entry*> calls; ///< of its dump, by sequence number
    std::vector<Place> places;
    bool inDump = false;
    bool timedOut = false; ///< a watchdog or the library gave `open` up
};

struct GroupFacts {
    std::string name; ///< empty: the default group
    std::map<int, RankFacts> ranks;
    std::vector<int> members; ///< ascending; empty: no dump says it
};

/// Returns the name by which a group is known here: all spellings of the default group ("0", "default_pg") are empty.
std::string groupName(std::string_view written);

/// Returns the default group, which is the first one and always there, and the others in which a rank waits. Entries of
/// a dump are referred to: `evidence` must outlive the result.
std::vector<GroupFacts> groupFacts(const HangEvidence& evidence);

} // namespace rankscope::explain
