// SPDX-License-Identifier: Apache-2.0
// Why a run ended, as values: programs decide by these and never by the sentence for people (RunInfo::cause).
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::launch {

/// What ended a run that has failed.
enum class EndKind : std::uint8_t {
    None,             ///< It has not failed, or nobody recorded how.
    Killed,           ///< a rank or the watched command, by a SIGKILL whose sender is unknown
    OutOfMemory,      ///< a rank
    Crashed,          ///< a rank or the watched command, by a signal other than a request to end
    Refused,          ///< A rank cannot train with the recipe, a file or this machine.
    Exited,           ///< a rank or the watched command, in another way
    SupervisorLost,   ///< It was killed.
    MachineRestarted, ///< or the run belongs to another machine
    Copied,           ///< The folder is a copy made before the run ended.
    FolderRemoved,    ///< while it trained
    DiskFull,         ///< or the quota was used up
    WeightsDiffer,    ///< between the ranks, at the end
    NotFinite,        ///< the loss or the weights, up to the end
    Other,
};
std::string_view endKindName(EndKind kind); ///< in stores and JSON

/// Why a run ended, and where.
struct EndReason {
    EndKind kind = EndKind::None;
    int rank = -1;          ///< the rank at fault; -1: none
    std::int64_t step = -1; ///< in which it happened, or the last one recorded; -1: before the first, or unknown

    friend bool operator==(const EndReason&, const EndReason&) = default;
};

/// Returns the reason that a run's file names, without a rank or step that the run cannot have. `kind`: a name; empty:
/// the file is of an older version, which wrote only the English sentence, `cause`.
EndReason readReason(std::string_view kind, int rank, std::int64_t step, std::string_view cause, int worldSize);

} // namespace rankscope::launch
