// SPDX-License-Identifier: Apache-2.0
// What the supervisor looks up itself: native stacks of ranks in incidents, and what each rank's process takes.
#pragma once

#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::store {

/// One thread of one rank, taken once per incident.
struct StackRow {
    std::int64_t incident = 0;
    int rank = 0;
    std::string role;         ///< "holder", "waiter"
    std::int64_t takenNs = 0; ///< monotonic to the writer, since the run's start from the reader
    int thread = 0;           ///< the system's number; 0: the rank could not be looked into, see `remark`
    int place = 0;            ///< among the rank's threads: 0 is its main thread
    std::string name;         ///< of the thread
    std::string doing;        ///< "runs", "sleeps in futex_wait_queue"
    std::string frames;       ///< a line each, the innermost first
    std::string remark;       ///< how frames were found, or why there are none; may be empty
};

/// What a rank's process took at a time; figures as in diagnosis::ResourceView.
struct FactRow {
    int rank = 0;
    std::int64_t timeNs = 0; ///< monotonic to the writer, since the run's start from the reader
    diagnosis::ResourceView view;
};

/// A rank's memory over the run so far, bytes; -1: not known.
struct MemorySummary {
    int rank = 0;
    std::int64_t rssBytes = -1, mostRssBytes = -1, mostSwapBytes = -1; ///< of the process
    std::int64_t gpuBytes = -1, mostGpuBytes = -1, gpuTotalBytes = -1; ///< by the process; of its device
    std::int64_t groupUsedBytes = -1, groupLimitBytes = -1;            ///< control group or host, newest
    std::int64_t longestFrames = 0;                                    ///< mel frames of its longest utterance
};

} // namespace rankscope::store
