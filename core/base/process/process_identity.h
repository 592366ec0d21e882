// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace rankscope {

/// The contents of /proc/PID/stat. A pid alone does not identify a process, since it is reused; pid and start time do.
struct ProcessStat {
    char state = '?';             ///< R S D T t Z X as in proc(5)
    std::uint64_t startTicks = 0; ///< clock ticks since boot
    pid_t parent = 0;
    pid_t group = 0;
    std::int64_t cpuNs = 0;    ///< user + system
    std::int64_t rssBytes = 0; ///< resident
    int exitStatus = -1;       ///< of a zombie, as wait() reports it; -1: it is none
};

/// Returns false in a container that sees the /proc of its host, where the same pids mean other processes.
bool isOwnProcNamespace();

/// Returns none if there is no such process, or /proc does not show it. This process itself is always shown.
std::optional<ProcessStat> processStat(pid_t pid);

/// Returns whether `pid` runs now, is not a zombie, and started at `startTicks` (0: not known, always false).
bool isSameProcess(pid_t pid, std::uint64_t startTicks);

} // namespace rankscope
