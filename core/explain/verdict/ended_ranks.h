// SPDX-License-Identifier: Apache-2.0
// Which ends of ranks can be the cause of a hang, and which are its consequence.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <vector>

namespace rankscope::explain {

/// Returns the ends that are no consequence, at most one for each rank (those without a rank: one of each kind), by
/// rank. A consequence is: the collective library's own exception; any exit status or signal of a rank that had waited
/// in a collective until then; the abort of a rank that heard of another's timeout; a signal by which a launcher ends
/// the ranks that are left, unless no other rank ended.
std::vector<RankEnd> endsThatCount(const HangEvidence& evidence);

/// Returns the ranks that reported a collective that failed: a timeout or a lost connection.
std::vector<int> ranksThatWaited(const HangEvidence& evidence);

} // namespace rankscope::explain
