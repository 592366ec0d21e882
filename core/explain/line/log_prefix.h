// SPDX-License-Identifier: Apache-2.0
// What launchers, schedulers and loggers write before a line: who wrote it, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::explain {

struct LogPrefix {
    std::optional<int> rank; ///< global: "[rank2]:"
    /// A number that is the rank if each process is one of its launcher's: torchrun's "[default2]:", "2: " of srun -l,
    /// MPI's "[1,2]<stderr>:". On several nodes torchrun's number is local to the node.
    std::optional<int> launcherRank;
    std::string time;     ///< as it was written; made safe to print
    std::string host;     ///< an address, pod or host name; made safe to print
    std::int64_t pid = 0; ///< 0: not said
    std::size_t bytes = 0;

    std::optional<int> anyRank() const { return rank ? rank : launcherRank; }
};

/// Reads the prefixes that a row begins with, in any combination. `taskNumbers`: "2: " is one of them, which is true
/// of a whole file or not at all.
LogPrefix readLogPrefix(std::string_view row, bool taskNumbers);

/// Finds the rank that a row's prefix names, as readLogPrefix does, but for the common forms only and many times as
/// fast. `rank` is set for a global rank, `launcherRank` for the other ones.
struct QuickRank {
    int rank = -1, launcherRank = -1;
};
QuickRank quickRank(std::string_view row, bool taskNumbers);

/// Returns whether most rows of a file's beginning start with a task's number, as srun -l writes it.
bool hasTaskNumbers(std::string_view beginning);

/// Returns where the next prefix begins that stands behind other text on its row, as after a progress bar; npos: none.
std::size_t findInnerPrefix(std::string_view row, std::size_t from);

} // namespace rankscope::explain
