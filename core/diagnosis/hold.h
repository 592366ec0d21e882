// SPDX-License-Identifier: Apache-2.0
// Who holds whom right now, read off the boards alone; and the cause, from what the holder's board and process say.
#pragma once

#include "core/diagnosis/detector.h"
#include "core/diagnosis/step_window.h"

#include <cstdint>
#include <vector>

namespace rankscope::diagnosis {

/// A rank that has not arrived where others wait, or that makes no progress while nobody waits yet.
struct Hold {
    int holder = -1;
    std::vector<int> waiters;
    CollectiveRef collective;
    std::int64_t sinceNs = 0; ///< first waiter's arrival; without waiters the holder's last progress
};

/// The rank's process cannot make progress or leave a sign any more.
bool isDead(const ProcessView& process);
bool isBadEnd(const ProcessView& process);

/// One entry per rank that holds others or is stuck itself. `aloneAfterNs`: a rank for whom nobody waits counts when
/// its board has not moved for this long.
std::vector<Hold> findHolds(const Observation& observation, std::int64_t aloneAfterNs);

/// A collective that all ranks entered and none left since `sinceNs`, or that they entered with different op, tag,
/// dtype or count. `mismatch` empty: it is the same everywhere.
struct Jam {
    CollectiveRef collective;
    std::int64_t sinceNs = 0; ///< the last arrival
    std::string mismatch;
    std::vector<int> odd; ///< ranks that differ from the majority
};
std::vector<Jam> findJams(const Observation& observation);

/// Cause, phase, step and evidence of a hold. Fills everything but id, times and remedy; `openedNs` must be set. A long
/// batch is the cause only as long as its length can account for the time, by what batches cost in `usual`.
void explain(Incident& incident, const Observation& observation, const UsualCompute& usual);

/// "SIGKILL" for 9.
std::string signalName(int signal);

} // namespace rankscope::diagnosis
