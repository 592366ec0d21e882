// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace rankscope::store {

struct RunMeta {
    std::string id;
    int worldSize = 0;
    std::int64_t startNs = 0;         ///< monotonic ns that all times in the store are relative to
    std::int64_t startRealtimeNs = 0; ///< the same moment on the wall clock
    std::int64_t totalSteps = 0;      ///< planned; 0: unknown
    /// Overlapping waits were added up, because an older version created the store.
    bool waitsAreSums = false;
};

struct Retention {
    std::int64_t newestSteps = 2000; ///< single collectives and phases are kept for these, and around incidents
    std::int64_t aroundIncidentSteps = 20;
    /// Limit for the recorded input of the detector; four times this for groups with incidents.
    std::int64_t inputBytes = std::int64_t{64} << 20;
};

} // namespace rankscope::store
