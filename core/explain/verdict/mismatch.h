// SPDX-License-Identifier: Apache-2.0
// Finds ranks that were in different collectives at the same point, or gave different sizes.
#pragma once

#include "core/explain/verdict/group_facts.h"

#include <optional>
#include <vector>

namespace rankscope::explain {

/// A difference between ranks.
struct MismatchFound {
    enum class Kind : std::uint8_t {
        Operations, ///< ranks call different collectives
        Sizes,      ///< the same one with different numbers of elements
        Types,      ///< ... or types
        Numbers,    ///< the same one, but ranks have made different numbers of collectives until then
        Places,     ///< the same operation, from different lines of the program
        Groups,     ///< ranks wait for each other in different groups
        Unknown,    ///< a rank found a difference and does not say which
    } kind = Kind::Unknown;
    bool seen = false; ///< a rank said it; false: it follows from what each of them said
    struct Side {
        CollectiveCall call;
        std::vector<int> ranks;    ///< ascending; empty: not said
        std::vector<Place> places; ///< of these ranks; empty: those of all
    };
    std::vector<Side> sides;    ///< the side of most ranks first
    std::vector<int> differing; ///< the ranks of all sides but the first one; of both, if they are as many
    std::vector<Place> places;
};

/// Returns what a rank that compared collectives said: TORCH_DISTRIBUTED_DEBUG=DETAIL.
std::optional<MismatchFound> saidMismatch(const HangEvidence& evidence);

/// Returns the first difference at a sequence number of a group that not all ranks have left, or between ranks whose
/// collectives have no numbers.
std::optional<MismatchFound> mismatchIn(const GroupFacts& group);

/// Returns the difference if each of two groups waits for a rank that waits in the other one. `worldSize`: for logs,
/// which do not list the members of a group.
std::optional<MismatchFound> crossedGroups(const std::vector<GroupFacts>& groups, std::optional<int> worldSize);

} // namespace rankscope::explain
