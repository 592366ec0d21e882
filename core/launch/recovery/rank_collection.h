// SPDX-License-Identifier: Apache-2.0
// Ranks that torchrun, srun or mpirun started have no supervisor: `rankscope-trainer train --run FOLDER` leaves boards
// and journals in FOLDER of each host. From these a run is made as a supervisor would have left it, on the clock of
// rank 0.
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

struct CollectOptions {
    std::vector<std::filesystem::path> folders; ///< one a host, or one that all hosts share
    std::filesystem::path config;               ///< what was trained; empty: effective.yaml of one of the folders
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
};

struct Collected {
    RunPaths run;
    RunInfo info;
    std::vector<std::string> remarks; ///< what is missing or uncertain; notes in the store, too
};

/// Reads the folders and leaves them as they are. A rank in two of them, ranks that disagree on their number, or a
/// folder without any is an error; a rank that is in none is a remark. Times of other hosts are put on rank 0's clock.
Result<Collected> collect(const CollectOptions& options);

/// What of a rank's records tells about its clock.
struct ClockEvidence {
    int rank = 0;
    std::string host;
    std::int64_t monotonicNs = 0, realtimeNs = 0; ///< its anchor
    struct Span {
        std::int64_t arrivedNs = 0, doneNs = 0;
    };
    /// By group and sequence number: collectives that no rank leaves before all have entered.
    std::map<std::pair<std::uint32_t, std::uint64_t>, Span> collectives;
};

/// Whether no rank is done with it before the last has arrived.
bool synchronises(telemetry::CollectiveOp op);

/// One offset a rank; the first one's is 0. Ranks on one host share a clock. Between hosts the wall clocks only begin
/// it: nobody is done with a collective before the last has arrived, which bounds the offset from both sides, to about
/// the time of the quickest collective. The middle of these bounds is taken.
std::vector<std::int64_t> clockOffsets(std::span<const ClockEvidence> ranks);

} // namespace rankscope::launch
