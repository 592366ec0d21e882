// SPDX-License-Identifier: Apache-2.0
// The resources of each rank's process and device, measured once a second in a separate thread, so that the
// supervisor's round never waits for a driver or a file.
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/host/memory_kills.h"
#include "core/launch/host/nvml.h"
#include "core/launch/host/process_usage.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::launch {

/// Turns the figures of two moments into rates and shares. Pure.
class ResourceMeter {
public:
    /// `gpus`: all of the machine's devices; the rank's device is the one that lists `pid`, or the only one.
    diagnosis::ResourceView measure(const ProcessFacts& process, const GroupFacts& group,
                                    const std::vector<GpuFacts>& gpus, pid_t pid, std::int64_t nowNs);

private:
    ProcessFacts m_process;
    GroupFacts m_group;
    std::int64_t m_atNs = 0; ///< 0: nothing measured yet
};

/// Measures from its own thread, once a second. All times are monotonic ns, read by that thread.
class ResourceWatch {
public:
    /// A longer time between two measurements is a break: the thread measures once a second.
    static constexpr std::int64_t kBreakNs = 2'500'000'000;

    struct WatchedProcess {
        pid_t pid = 0;
        std::uint64_t startTicks = 0;
    };
    /// `gpu`: the ranks compute on GPUs. Processes that have ended have no figures.
    ResourceWatch(std::vector<WatchedProcess> ranks, bool gpu);
    ~ResourceWatch(); ///< waits for at most a second: a driver call may hang

    /// The figures of all ranks at one moment.
    struct Snapshot {
        std::int64_t atNs = 0;    ///< 0: nothing was measured yet
        std::int64_t sinceNs = 0; ///< since when this process has measured without a break
        std::vector<std::optional<diagnosis::ResourceView>> ranks;
        std::shared_ptr<const MemoryKills> memoryKills; ///< in the control groups of all ranks so far; may be null

        /// Returns true if this process certainly ran between the two times, which must be well more than a break
        /// apart: its main thread may have waited for a disk, but the process was neither stopped nor frozen.
        bool ranThrough(std::int64_t fromNs, std::int64_t toNs) const {
            return toNs - fromNs >= kBreakNs + kBreakNs / 2 && sinceNs > 0 && sinceNs <= fromNs &&
                   toNs - atNs < kBreakNs;
        }
    };
    /// Returns the newest figures, without waiting for a measurement.
    Snapshot newest() const;
    /// Measures these processes from now on: ranks have appeared or were started again.
    void setProcesses(std::vector<WatchedProcess> ranks);
    /// Measures GPUs as well from now on: the ranks compute on them.
    void measureGpus();

private:
    struct Shared;
    std::shared_ptr<Shared> m;
};

} // namespace rankscope::launch
