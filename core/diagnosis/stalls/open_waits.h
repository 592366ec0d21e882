// SPDX-License-Identifier: Apache-2.0
// Waits that continue: they are in no record yet, because a collective is recorded when it is done.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <vector>

namespace rankscope::diagnosis {

/// A rank that is inside a collective which others have not entered.
struct OpenWait {
    int rank = -1;
    int holder = -1; ///< the lowest of the ranks that have not entered it
    CollectiveRef collective;
    std::int64_t step = -1;   ///< of the waiting rank
    std::int64_t sinceNs = 0; ///< monotonic, by the rank: it entered then, or earlier where it is in several at once
    telemetry::Phase holderPhase = telemetry::Phase::None; ///< what the holder does now

    friend bool operator==(const OpenWait& a, const OpenWait& b) {
        return a.rank == b.rank && a.holder == b.holder && a.collective.group == b.collective.group &&
               a.collective.sequence == b.collective.sequence && a.step == b.step && a.sinceNs == b.sinceNs &&
               a.holderPhase == b.holderPhase;
    }
};

/// Returns the waits that boards show and that have lasted `atLeastNs`, by rank, ascending.
std::vector<OpenWait> openWaits(const Observation& observation, std::int64_t atLeastNs);

} // namespace rankscope::diagnosis
