// SPDX-License-Identifier: Apache-2.0
// Rows with the supervisor's own findings: native stacks of ranks in incidents, and the resource use of each rank's
// process.
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
    int thread = 0;           ///< thread id; 0: the rank could not be inspected, see `remark`
    int place = 0;            ///< among the rank's threads: 0 is its main thread
    std::string name;         ///< of the thread
    std::string doing;        ///< "runs", "sleeps in futex_wait_queue"
    std::string frames;       ///< a line each, the innermost first
    std::string remark;       ///< how frames were found, or why there are none; may be empty
};

/// Resource use of a rank's process at one time; figures as in diagnosis::ResourceView.
struct FactRow {
    int rank = 0;
    std::int64_t timeNs = 0; ///< monotonic to the writer, since the run's start from the reader
    diagnosis::ResourceView view;
};

} // namespace rankscope::store
