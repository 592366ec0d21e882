// SPDX-License-Identifier: Apache-2.0
// What was concluded before causes are looked for.
#pragma once

#include "core/explain/model/explanation.h"
#include "core/explain/verdict/mismatch.h"
#include "core/explain/verdict/presence.h"

#include <optional>
#include <vector>

namespace rankscope::explain {

/// Ranks that have done fewer batches than others.
struct BatchesBehind {
    std::vector<int> ranks;
    std::int64_t fewest = 0, most = 0;
    std::vector<Place> places;
};

struct Findings {
    const HangEvidence* evidence = nullptr;
    HungGroup hung;
    std::optional<MismatchFound> mismatch;
    std::vector<RankEnd> ends; ///< that count as a cause
    std::vector<int> stuck;    ///< ranks whose watchdog was stuck, ascending
    std::optional<BatchesBehind> batches;
    std::vector<NamedCollective> names;
    Verdict verdict = Verdict::NotEnoughData;

    std::vector<int> ranks(RankRow::Presence presence) const { return ranksWith(hung.rows, presence); }
};

/// Returns "all-reduce 4,187", "broadcast 12 of group 3", or "a collective".
Message callName(const CollectiveCall& call);

/// Returns callName() with the number of elements, if it is known: "all-reduce 4,187 of 1 element".
Message callWithElements(const CollectiveCall& call);

/// Returns where the rows of these ranks were seen; the first three.
std::vector<Place> placesOf(const std::vector<RankRow>& rows, RankRow::Presence presence);

/// Returns the ranks with clearly fewer batches than others in the same epoch: a tenth, and at least three.
std::optional<BatchesBehind> batchesBehind(const std::vector<Progress>& progress);

/// Returns whether the run was at the end of an epoch: the last bar is within a hundredth of its end.
bool atEpochEnd(const std::vector<Progress>& progress);

/// Returns whether the collective that hangs is the first one of its group.
bool isFirst(const HungGroup& hung);

} // namespace rankscope::explain
