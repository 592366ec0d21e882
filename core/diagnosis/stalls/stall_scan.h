// SPDX-License-Identifier: Apache-2.0
// Finds which rank holds up which right now, from the boards alone, in time proportional to the number of ranks and of
// their groups. Each function takes the members of the run's process groups; the default is that all have all ranks.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"
#include "core/telemetry/format/process_groups.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// The oldest collective of a group that ranks wait in and that not all its members have entered.
struct BlockedCollective {
    CollectiveRef collective;
    std::int64_t sinceNs = 0;          ///< first waiter's arrival
    std::vector<int> holders, waiters; ///< ascending; no rank is both
    /// Ranks that wait in collectives of other groups for the waiters or the holders, ascending.
    std::vector<int> behind;
    /// False: the holders' boards show only other groups, so it is not known whether they have entered it.
    bool isKnown = true;
    /// Holders may be inside an older collective that all have entered (ranks leave a broadcast one by one). Time when
    /// the last of them entered it; 0: none is.
    std::int64_t insideSinceNs = 0;

    /// Returns all ranks that wait for the holders, ascending.
    std::vector<int> everyWaiter() const;
};

/// A rank that makes no progress while no rank waits for it yet, or whose process is stopped.
struct IdleRank {
    int rank = -1;
    std::int64_t sinceNs = 0; ///< its last progress, or when it was seen stopped
};

struct StallScan {
    std::vector<BlockedCollective> sites; ///< at most one per group
    std::vector<IdleRank> alone;
    /// Ranks that wait for each other in different groups: none of them can continue.
    std::vector<int> circle;
    std::int64_t circleSinceNs = 0;
};

/// Returns true if the process has ended, so that it cannot make progress any more.
bool isDead(const ProcessView& process);
bool isBadEnd(const ProcessView& process);
bool isStopped(const ProcessView& process);
/// Returns true if Gloo aborted it because a message was longer than expected: another rank made a different call.
bool isAbortedByMismatch(const ProcessView& process);

/// Returns all current hold-ups. `aloneAfterNs`: a rank that no rank waits for counts if its board has not changed for
/// this long.
StallScan scanForStalls(const Observation& observation, std::int64_t aloneAfterNs,
                        const telemetry::ProcessGroups& groups = {});

/// Returns since when a holder itself keeps the others waiting; before, it was still in the previous collective.
std::int64_t notBlockedSince(const RankObservation& holder, const BlockedCollective& site);

/// Returns the newest collective of a group on a rank's board; null if it has entered none.
const telemetry::BoardCollective* collectiveOf(const RankObservation& rank, std::uint32_t group);
/// Returns the collective that a rank entered first of those it is inside; null: it is in none.
const telemetry::BoardCollective* oldestOpen(const telemetry::BoardSnapshot& board);
/// Returns true for a send or a receive: only the two ranks of a pair make it.
bool isPointToPoint(telemetry::CollectiveOp op);

/// A process group that boards show.
struct ObservedGroup {
    std::uint32_t number = 0;
    std::vector<const RankObservation*> members; ///< by rank
};
/// Returns the groups on the boards whose members are known, ascending by number; without groups of more than two ranks
/// in which a rank sends or receives, since the others make no such call. Their number is bounded, whatever the boards
/// contain.
std::vector<ObservedGroup> groupsOf(const Observation& observation, const telemetry::ProcessGroups& groups = {});
/// Returns true if the rank has entered a collective and has not left it.
bool isInside(const RankObservation& rank);
CollectiveRef refOf(const telemetry::BoardCollective& collective);

/// Returns the name of a signal: "SIGKILL" for 9.
std::string signalName(int signal);

/// A rank that is inside a collective which others have not entered.
struct OpenWait {
    int rank = -1;
    int holder = -1; ///< the lowest of the ranks that have not entered it
    CollectiveRef collective;
    std::int64_t step = -1;   ///< of the waiting rank
    std::int64_t sinceNs = 0; ///< monotonic, by the rank: when it entered, or earlier if it is in several
    telemetry::Phase holderPhase = telemetry::Phase::None; ///< what the holder does now

    friend bool operator==(const OpenWait& a, const OpenWait& b) {
        return a.rank == b.rank && a.holder == b.holder && a.collective.group == b.collective.group &&
               a.collective.sequence == b.collective.sequence && a.step == b.step && a.sinceNs == b.sinceNs &&
               a.holderPhase == b.holderPhase;
    }
};

/// Returns the waits that boards show and that have lasted `atLeastNs`, by rank, ascending.
std::vector<OpenWait> openWaits(const Observation& observation, std::int64_t atLeastNs,
                                const telemetry::ProcessGroups& groups = {});

} // namespace rankscope::diagnosis
