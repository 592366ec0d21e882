// SPDX-License-Identifier: Apache-2.0
// Diagnoses a recorded run again and compares the result with the stored incidents.
#pragma once

#include "core/diagnosis/recording/recording.h"
#include "core/store/read/run_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::store {

struct ReplayReport {
    std::int64_t pieces = 0, bytes = 0, rounds = 0;
    int detectorVersion = 0;                    ///< version of the detector that recorded it
    std::vector<diagnosis::Incident> incidents; ///< as this detector sees them, by id; times monotonic
    std::int64_t same = 0;                      ///< byte for byte
    struct Difference {
        std::int64_t id = 0;
        std::string stored, replayed; ///< canonical texts; empty: no such incident
    };
    std::vector<Difference> differences;              ///< by id
    std::vector<std::int64_t> unrecorded;             ///< stored incidents whose recording has been pruned
    std::vector<diagnosis::DetectorReplay::Gap> gaps; ///< of the recording
    int otherStates = 0; ///< groups of the recording whose initial state differs from the replayed one
    bool identical() const { return differences.empty() && otherStates == 0; }
};

/// Diagnoses the recorded input again and compares with the stored incidents. The end of incidents that the supervisor
/// could not close is not compared. NotFound: nothing was recorded.
Result<ReplayReport> replay(RunReader& reader);

} // namespace rankscope::store
