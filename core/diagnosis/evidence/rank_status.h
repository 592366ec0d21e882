// SPDX-License-Identifier: Apache-2.0
// What each rank does now, in words. Includes nothing of the observation, so that a header which needs only the states
// stays cheap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

enum class Language : std::uint8_t;
struct Incident;
struct Observation;

/// What the tile of a rank shows.
enum class RankState : std::uint8_t { Starting, Computing, Waiting, Holder, Stopped, Dead, Finished, Unknown };

struct RankStatus {
    RankState state = RankState::Unknown;
    std::string words; ///< "waits 1.2 s for rank 1, gradient bucket 3"
};

/// One per rank. `open` are the incidents that are open now. A board whose process is gone never counts as computing.
std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open,
                                     Language language);

} // namespace rankscope::diagnosis
