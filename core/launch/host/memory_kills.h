// SPDX-License-Identifier: Apache-2.0
// Which control groups count processes that the kernel has killed for lack of memory. A rank may be in another group
// than its supervisor: a batch system or a container can give each rank its own.
#pragma once

#include "core/launch/host/process_usage.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

namespace rankscope::launch {

/// Returns the kills that a file such as memory.events counts; -1: unknown.
std::int64_t memoryKillsIn(const std::filesystem::path& file);

/// The counts of control groups at the time when each of them was first seen. Not for use by several threads at once.
class MemoryKills {
public:
    /// Adds the group that the text of /proc/PID/cgroup names, unless it is known already.
    void watch(std::string_view membership, const GroupMounts& mounts);
    /// Returns true if the kernel has killed a process in one of the groups since it was added. Reads their files.
    bool hasIncreased() const;

private:
    std::map<std::filesystem::path, std::int64_t> m_counts; ///< by file
};

} // namespace rankscope::launch
