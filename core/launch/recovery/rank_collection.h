// SPDX-License-Identifier: Apache-2.0
// Ranks that torchrun, srun or mpirun started have no supervisor: `rankscope-trainer train --run FOLDER` leaves boards
// and journals in FOLDER on each host. From these, collect() makes a run as a supervisor would have left it, on the
// clock of rank 0.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// What collect() makes a run from.
struct CollectOptions {
    std::vector<std::filesystem::path> folders; ///< one per host, or one that all hosts share
    std::filesystem::path config; ///< the recipe that was trained; empty: effective.yaml of one of the folders
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
};

/// The run that collect() has made.
struct Collected {
    RunPaths run;
    RunInfo info;
    std::vector<std::string> remarks; ///< what is missing or uncertain; also stored as notes
};

/// Reads the folders and does not change them. A rank in two of them, ranks that disagree on the number of ranks, or a
/// folder without any rank is an error; a rank that is in none of them is reported as a remark. Times of other hosts
/// are converted to rank 0's clock.
Result<Collected> collect(const CollectOptions& options);

/// The information about a rank's clock in its records.
struct ClockEvidence {
    int rank = 0;
    std::string host;
    std::int64_t monotonicNs = 0, realtimeNs = 0; ///< its anchor
    struct ClockSpan {
        std::int64_t arrivedNs = 0, doneNs = 0; ///< monotonic, on the clock of the rank's host
    };
    /// By group and sequence number: collectives that no rank leaves before all have entered.
    std::map<std::pair<std::uint32_t, std::uint64_t>, ClockSpan> collectives;
};

/// Returns whether no rank finishes this collective before the last has arrived.
bool synchronises(telemetry::CollectiveOp op);

/// Returns one offset per rank, in ns to add to its monotonic times to get those of the first rank, whose offset is 0.
/// Ranks on one host share a clock. Between hosts, the wall clocks count only if the ranks have no collective in
/// common. Otherwise the offset is the middle between two bounds, which are about the time of the quickest collective
/// apart: no rank finishes a collective before the last has arrived.
std::vector<std::int64_t> clockOffsets(std::span<const ClockEvidence> ranks);

} // namespace rankscope::launch
