// SPDX-License-Identifier: Apache-2.0
// Which ends of ranks can be the cause of a hang, and which are its consequence.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <vector>

namespace rankscope::explain {

/// Returns the ends that are no consequence, at most one for each rank and one without a rank: first those that say
/// most about their reason (out of memory, an exception, a signal, an exit status), each kind by rank. A
/// consequence is: the collective library's own exception; any exit status or signal of a rank that had waited in a
/// collective until then; the abort of a rank that heard of another's timeout, or whose heartbeat monitor said
/// something; an abort of a rank that is not named, if a rank timed out or a monitor said something; a signal by
/// which a launcher ends the ranks that are left, unless no other rank ended.
std::vector<RankEnd> endsThatCount(const HangEvidence& evidence);

/// Returns the ranks that reported a collective that failed: a timeout or a lost connection.
std::vector<int> ranksThatWaited(const HangEvidence& evidence);

/// Returns the ranks whose watchdog made no progress and had reported no timeout before: such a rank is silent wherever
/// it is. One that hangs after a timeout hangs in the clean-up.
std::vector<int> ranksWithStuckWatchdog(const HangEvidence& evidence);

} // namespace rankscope::explain
