// SPDX-License-Identifier: Apache-2.0
// What one record of a log says. The reader of the file adds places, limits the number of facts and joins those that
// belong together.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::explain {

/// The counts that NCCL's watchdog writes in a separate line.
struct WatchdogCounts {
    std::optional<int> rank; ///< in its group
    std::string group;
    std::optional<std::int64_t> sequence; ///< of the collective that failed; absent: another rank's failed
    std::optional<std::int64_t> lastEnqueued, lastCompleted;
    Place place;
};

/// The end of a process. Launchers name processes by pid, or by a number that is the rank on a single node only.
struct ProcessEnd {
    RankEnd end;
    std::int64_t pid = 0;         ///< 0: not said
    std::optional<int> localRank; ///< a launcher's number of the process, such as Slurm's task
    bool ofPrefix = false;        ///< the number is the one in the row's prefix
};

/// The line of each place is an offset in the record's dense text.
struct LogFacts {
    std::vector<CollectiveTimeout> timeouts;
    std::vector<WatchdogCounts> counts;
    std::vector<CollectiveMismatch> mismatches;
    std::vector<RanksMissing> missing;
    std::vector<ConnectionLost> connections;
    std::vector<ProcessEnd> ends;
    std::vector<MonitorReport> monitors;
    std::vector<DumpNotice> dumpNotices;
    std::optional<int> worldSize, globalRank; ///< a start message's
    bool worldSizeIsOfRun = false;            ///< and not perhaps that of a smaller group
    Place worldSizePlace;
    std::string backend;

    bool empty() const {
        return timeouts.empty() && counts.empty() && mismatches.empty() && missing.empty() && connections.empty() &&
               ends.empty() && monitors.empty() && dumpNotices.empty() && !worldSize && !globalRank && backend.empty();
    }
};

} // namespace rankscope::explain
