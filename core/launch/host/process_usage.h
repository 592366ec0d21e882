// SPDX-License-Identifier: Apache-2.0
// Figures from /proc and the control groups. Pure functions over text that is not trusted: a value that is missing or
// not a number stays -1, unknown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::launch {

/// Figures of one process; -1: unknown.
struct ProcessFacts {
    std::int64_t cpuNs = -1; ///< user + system since its start
    std::int64_t majorFaults = -1;
    std::int64_t rssBytes = -1, swapBytes = -1;
    std::int64_t writtenBytes = -1; ///< sent to the disk
    bool isRunnable = false;        ///< its main thread runs, or is ready to
    std::int64_t cpuRunNs = -1;     ///< its main thread ran
    std::int64_t cpuWaitNs = -1;    ///< its main thread was ready to run and had no processor; counted when that ends
};
/// Parses the texts of /proc/PID/stat, status, io and schedstat; `ticksPerSecond` comes from sysconf.
ProcessFacts processFacts(std::string_view stat, std::string_view status, std::string_view io,
                          std::int64_t ticksPerSecond, std::string_view schedstat = {});

/// Returns the share of the `ns` between two moments in which the main thread was ready to run and had no processor;
/// -1: unknown.
double cpuWaitShare(const ProcessFacts& before, const ProcessFacts& now, std::int64_t ns);

/// A process that another one has started.
struct WorkerFacts {
    std::string name;             ///< of its program, as the kernel keeps it: 15 bytes
    bool isZombie = false;        ///< it has ended, and nobody has waited for it
    int signal = 0, exitCode = 0; ///< how it ended
    std::int64_t rssBytes = -1;   ///< resident, without files; memory that it shares with its parent counts
};
/// Parses the texts of /proc/PID/stat and status.
WorkerFacts workerFacts(std::string_view stat, std::string_view status);
/// Returns the process IDs in the text of /proc/PID/task/TID/children.
std::vector<int> childrenIn(std::string_view children);

/// Returns the number after `key` at the beginning of a line ("VmSwap:", "oom_kill"); -1: there is none.
std::int64_t numberOf(std::string_view text, std::string_view key);
/// Parses a file that holds one number; "max", or a number so large that it means no limit, gives `unlimited`. -1:
/// neither.
std::int64_t soleNumber(std::string_view text, std::int64_t unlimited);

/// Figures of the control groups that a process is in; -1: unknown.
struct GroupFacts {
    /// Where memory is tightest: in a control group, or on the host. Used memory is memory that cannot be reclaimed
    /// immediately: without the page cache that was not used recently.
    std::int64_t memoryUsedBytes = -1, memoryLimitBytes = -1;
    std::int64_t periods = -1, throttledPeriods = -1; ///< of the CPU quota; 0 periods: there is no quota
    double cpuQuota = -1;                             ///< processors that it allows; of several quotas the smallest
    std::int64_t throttledNs = -1;                    ///< how long it held threads back, summed over processors
};

/// A hierarchy of control groups: where it is mounted, and which of its groups is visible there.
struct GroupMount {
    std::filesystem::path at;
    std::string group = "/";
};
struct GroupMounts {
    std::optional<GroupMount> memory, cpu; ///< version 1
    std::optional<GroupMount> unified;     ///< version 2
};
/// Reads the mounts from the text of /proc/self/mountinfo.
GroupMounts groupMounts(std::string_view mountinfo);
/// Returns the mounts that systemd makes below `root`.
GroupMounts usualGroupMounts(const std::filesystem::path& root = "/sys/fs/cgroup");

/// Reads the groups named in the text of /proc/PID/cgroup; `meminfo` is the text of /proc/meminfo.
GroupFacts groupFacts(std::string_view membership, std::string_view meminfo, const GroupMounts& mounts);

/// Returns the file in which the group named in the text of /proc/PID/cgroup counts the processes that the kernel has
/// killed for lack of memory; none: the group is not visible here.
std::optional<std::filesystem::path> memoryKillsFile(std::string_view membership, const GroupMounts& mounts);

} // namespace rankscope::launch
