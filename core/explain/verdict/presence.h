// SPDX-License-Identifier: Apache-2.0
// Which group hangs, in which collective, and where each of its ranks is.
#pragma once

#include "core/explain/model/explanation.h"
#include "core/explain/verdict/group_facts.h"

#include <optional>
#include <vector>

namespace rankscope::explain {

/// A group and the collective in which most of its waiting ranks are.
struct HungGroup {
    const GroupFacts* group = nullptr;
    CollectiveCall call;       ///< op Unknown and no number: nothing is known about it
    bool waits = false;        ///< a rank waits in it, or did until it lost a connection or gave up
    std::vector<RankRow> rows; ///< ascending
    bool allKnown = false;     ///< the group's size is known, and rows has all its ranks
    /// Ranks that are Unknown, whose log is part of the input and says nothing, while all others lost a connection.
    std::vector<int> silent;
    std::vector<int> proven; ///< ranks that are Unknown, but members by a dump whose other members all have dumps
};

/// Chooses the group whose oldest open collective explains the others: no rank that it waits for waits in another
/// group. With several of them, the one that waits longest. `groups` must not be empty and must outlive the result.
/// `dead`: ranks that have ended, ascending.
///
/// A rank is Absent only if others of the group report and
/// - somebody waited for it by name, or
/// - its own counts or its dump end before the collective, or
/// - its log is part of the input, complete, and without a word of it, while all others wait in the same collective. A
///   log of its own whose beginning was cut off counts only if it says how far the rank came.
/// A log is part of the input if it is one of the rank's own, or a joined log in which ranks below and above it have
/// lines, or the only log that there is, unless it may be that of other hosts. A joined log whose beginning was cut off
/// counts for ranks that have lines in it, and for all if it is an excerpt. A rank whose watchdog was stuck could not
/// have said a word. Otherwise the rank is Unknown.
HungGroup hungGroup(const HangEvidence& evidence, const std::vector<GroupFacts>& groups, const std::vector<int>& dead);

/// Returns the ranks whose rows say so.
std::vector<int> ranksWith(const std::vector<RankRow>& rows, RankRow::Presence presence);

} // namespace rankscope::explain
