// SPDX-License-Identifier: Apache-2.0
// What /proc and the control groups say, as figures. Pure functions over text that is not trusted: what is missing or
// does not read as a figure stays -1, unknown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::launch {

struct ProcessFacts {
    std::int64_t cpuNs = -1; ///< user + system since its start
    std::int64_t majorFaults = -1;
    std::int64_t rssBytes = -1, swapBytes = -1;
    std::int64_t writtenBytes = -1; ///< handed to the disk
};
/// Texts of /proc/PID/stat, status and io; `ticksPerSecond` as sysconf says.
ProcessFacts processFacts(std::string_view stat, std::string_view status, std::string_view io,
                          std::int64_t ticksPerSecond);

/// The number behind `key` at the beginning of a line ("VmSwap:", "oom_kill"); -1: there is none.
std::int64_t numberOf(std::string_view text, std::string_view key);
/// A file that is one number; "max", or what is as good as none, is `unlimited`. -1: it is neither.
std::int64_t soleNumber(std::string_view text, std::int64_t unlimited);

struct GroupFacts {
    /// Where memory is tightest: of a control group, or of the host. In use is what cannot be taken back at once:
    /// without the page cache that nobody used lately.
    std::int64_t memoryUsedBytes = -1, memoryLimitBytes = -1;
    std::int64_t periods = -1, throttledPeriods = -1; ///< of the CPU quota; 0 periods: there is no quota
    double cpuQuota = -1;                             ///< processors that it allows; of several the least
    std::int64_t throttledNs = -1;                    ///< for how long it held threads back, summed over processors
};

/// A hierarchy of control groups: where it is mounted, and which of its groups is seen there.
struct GroupMount {
    std::filesystem::path at;
    std::string group = "/";
};
struct GroupMounts {
    std::optional<GroupMount> memory, cpu; ///< of version 1
    std::optional<GroupMount> unified;     ///< version 2
};
/// Of the text of /proc/self/mountinfo.
GroupMounts groupMounts(std::string_view mountinfo);
/// As systemd mounts them below `root`.
GroupMounts usualGroupMounts(const std::filesystem::path& root = "/sys/fs/cgroup");

/// Of the groups named by the text of /proc/PID/cgroup, and of /proc/meminfo's text.
GroupFacts groupFacts(std::string_view membership, std::string_view meminfo, const GroupMounts& mounts);

} // namespace rankscope::launch
