// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace rankscope {

/// What /proc/PID/stat says. A pid alone is no identity: it is reused; pid and start time together are.
struct ProcessStat {
    char state = '?';             ///< R S D T t Z X as in proc(5)
    std::uint64_t startTicks = 0; ///< clock ticks since boot
    pid_t parent = 0;
    pid_t group = 0;
    std::int64_t cpuNs = 0;    ///< user + system
    std::int64_t rssBytes = 0; ///< resident
};

/// False in a container that was given the /proc of its host: numbers mean other processes there.
bool procIsOfThisNamespace();

/// None: there is no such process, or /proc cannot say it. Of this process itself it always can.
std::optional<ProcessStat> processStat(pid_t pid);

/// True when `pid` runs now, is no zombie, and started at `startTicks` (0: not known, no process did).
bool isSameProcess(pid_t pid, std::uint64_t startTicks);

} // namespace rankscope
