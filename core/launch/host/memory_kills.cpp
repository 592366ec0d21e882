// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/memory_kills.h"

#include "core/base/files/file.h"

#include <algorithm>
#include <string>

namespace rankscope::launch {

std::int64_t memoryKillsIn(const std::filesystem::path& file) {
    return numberOf(readFile(file, 1u << 20).value_or(std::string()), "oom_kill");
}

void MemoryKills::watch(std::string_view membership, const GroupMounts& mounts) {
    const auto file = memoryKillsFile(membership, mounts);
    if (!file || m_counts.contains(*file))
        return;
    if (const std::int64_t kills = memoryKillsIn(*file); kills >= 0)
        m_counts.emplace(*file, kills);
}

bool MemoryKills::hasIncreased() const {
    return std::ranges::any_of(m_counts, [](const auto& group) { return memoryKillsIn(group.first) > group.second; });
}

} // namespace rankscope::launch
