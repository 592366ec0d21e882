// SPDX-License-Identifier: Apache-2.0
// Who holds whom right now, read off the boards alone. All of it takes time proportional to the ranks.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// The oldest collective of a group that ranks wait in and that not all have entered.
struct Site {
    CollectiveRef collective;
    std::int64_t sinceNs = 0;          ///< first waiter's arrival
    std::vector<int> holders, waiters; ///< ascending; nobody is both
    /// Holders may be inside an older one that all have entered (ranks leave a broadcast one by one): since the last of
    /// them entered it. 0: none is.
    std::int64_t insideSinceNs = 0;
};

/// A rank that makes no progress while nobody waits for it yet, or whose process is stopped wherever it stands.
struct Alone {
    int rank = -1;
    std::int64_t sinceNs = 0; ///< its last progress, or when it was seen stopped
};

struct HoldsNow {
    std::vector<Site> sites; ///< at most one per group
    std::vector<Alone> alone;
    /// Ranks that wait for each other in different groups: nobody holds, and nobody can go on.
    std::vector<int> circle;
    std::int64_t circleSinceNs = 0;
};

/// The rank's process cannot make progress or leave a sign any more.
bool isDead(const ProcessView& process);
bool isBadEnd(const ProcessView& process);
bool isStopped(const ProcessView& process);
/// Gloo ended it, because a message was longer than what it had asked for: another rank made another call.
bool isAbortedByMismatch(const ProcessView& process);

/// `aloneAfterNs`: a rank for whom nobody waits counts when its board has not moved for this long.
HoldsNow findHolds(const Observation& observation, std::int64_t aloneAfterNs);

/// From when on a holder keeps the others by its own doing: before, others kept it in the collective before this one.
std::int64_t freeSince(const RankObservation& holder, const Site& site);

/// The newest collective of a group on a rank's board; null: it has entered none.
const telemetry::BoardCollective* collectiveOf(const RankObservation& rank, std::uint32_t group);
/// Groups that the boards show, ascending; a few at most, whatever the boards say.
std::vector<std::uint32_t> groupsOf(const Observation& observation);
CollectiveRef refOf(const telemetry::BoardCollective& collective);

/// "SIGKILL" for 9.
std::string signalName(int signal);

} // namespace rankscope::diagnosis
