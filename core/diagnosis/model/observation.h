// SPDX-License-Identifier: Apache-2.0
// What the supervisor sees of a run in one round: the input of the detector and of the rest of the diagnosis.
#pragma once

#include "core/telemetry/board/board_snapshot.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// A rank's process as the supervisor sees it.
struct ProcessView {
    enum class State : std::uint8_t { NotStarted, Running, Stopped, Exited, Signalled, Gone } state = State::NotStarted;
    int exitCode = 0;         ///< Exited
    int signal = 0;           ///< Signalled, or the stopping signal
    std::int64_t sinceNs = 0; ///< when the supervisor first saw the state
    bool outOfMemory = false; ///< killed by the kernel for memory
    std::string lastLines;    ///< of its log, if it ended badly
    /// A request to leave that did not come from the supervisor and makes all ranks leave; signal 0: none.
    telemetry::LeaveRequest asked = {};
    std::string askedBy = {}; ///< name of the user who asked; empty: not known
};

/// Resource usage of a rank's process and device, measured by the supervisor over about a second. Negative: unknown.
struct ResourceView {
    double cpuShare = -1;               ///< CPU seconds per second; 1.0 = one core busy
    double cpuThrottledShare = -1;      ///< share of its control group's periods in which the CPU quota throttled it
    std::int64_t rssBytes = -1;         ///< of the process
    std::int64_t swapBytes = -1;        ///< of the process
    double majorFaultsPerSecond = -1;   ///< page faults that read from disk
    double writeBytesPerSecond = -1;    ///< handed to the disk by the process
    std::int64_t memoryUsedBytes = -1;  ///< of the control group, or of the host if there is no limit
    std::int64_t memoryLimitBytes = -1; ///< of the control group, or the host's memory
    std::int64_t gpuUsedBytes = -1;     ///< by this process
    std::int64_t gpuTotalBytes = -1;    ///< of its device
    double gpuClockShare = -1;          ///< SM clock / maximum SM clock
    double gpuTemperature = -1;         ///< degrees Celsius
    std::string gpuThrottle;            ///< why the device lowers its clock; empty: it does not, or unknown
    double cpuQuota = -1;               ///< processors that its control group may use; also unknown without a quota
    double cpuThrottledTimeShare = -1;  ///< for how long the quota held it back, summed over processors
    double cpuWaitShare = -1;           ///< of the time that its main thread, or another one, waited for a processor
    std::int64_t workers = -1;          ///< processes that it has started, and those that these have started
    std::int64_t workersRssBytes = -1;  ///< of all these
    std::int64_t workersDied = -1;      ///< those that ended badly and have not been waited for
    int workerSignal = 0;               ///< that ended one of them; 0: it exited with workerExitCode
    int workerExitCode = 0;
    double workersCpuWaitShare = -1; ///< of the time that the workers that are not idle waited for a processor
};

struct RankObservation {
    int rank = 0;
    std::optional<telemetry::BoardSnapshot> board; ///< none: not there yet
    ProcessView process;
    std::optional<ResourceView> resources;         ///< none: not measured yet
    std::span<const telemetry::AnyRecord> records; ///< new since the last call, in order
};

/// An interval in which the supervisor itself did not run, so that no process watched the ranks.
struct UnwatchedTime {
    /// What the ranks did in that time, as far as their processes show it.
    enum class RankActivity : std::uint8_t { Unknown, StoodStill, Ran, Count };

    std::int64_t beginNs = 0;     ///< monotonic; the interval ends with the observation. 0: none
    std::int64_t suspendedNs = 0; ///< how long the machine was suspended; the monotonic clock does not count it
    RankActivity ranks = RankActivity::Unknown;

    friend bool operator==(const UnwatchedTime&, const UnwatchedTime&) = default;
};

enum class RunOutcomeSeen : std::uint8_t { Running, Finished, Failed, StoppedByUser };

struct Observation {
    std::int64_t nowNs = 0;
    std::vector<RankObservation> ranks;           ///< one per rank, in order
    RunOutcomeSeen end = RunOutcomeSeen::Running; ///< other than Running: all open incidents are closed
    UnwatchedTime unwatched = {};                 ///< since the last observation
};

} // namespace rankscope::diagnosis
