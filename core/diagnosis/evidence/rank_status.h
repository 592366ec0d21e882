// SPDX-License-Identifier: Apache-2.0
// Describes what each rank is doing now. Does not include the observation's header, so that headers which need only the
// states stay cheap.
#pragma once

#include "core/base/text/message.h"

#include <cstdint>
#include <vector>

namespace rankscope::telemetry {
class ProcessGroups;
}

namespace rankscope::diagnosis {

struct Incident;
struct Observation;

/// The state that the tile of a rank shows.
enum class RankState : std::uint8_t { Starting, Computing, Waiting, Holder, Stopped, Dead, Finished, Unknown };

struct RankStatus {
    RankState state = RankState::Unknown;
    Message words; ///< "waiting 1.2 s for rank 1 in gradient bucket 3"
};

/// Returns one status per rank. `open` are the incidents that are open now, `groups` the members of the run's process
/// groups. A board whose process is gone never counts as computing.
std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open,
                                     const telemetry::ProcessGroups& groups);
std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open);

} // namespace rankscope::diagnosis
