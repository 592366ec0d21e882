// SPDX-License-Identifier: Apache-2.0
// The fields of a Flight Recorder dump, whichever form they were read from.
#pragma once

#include "core/explain/model/hang_evidence.h"
#include "core/trainer/formats/pickle/pickle.h"

#include <string>

namespace rankscope::explain {

inline constexpr std::string_view kDefaultGroup = "default_pg"; ///< PyTorch's description of the group of all ranks

/// Reads the entries and groups; flight_dump.h says what they mean. Neither rank nor place is set. Error: what is
/// wrong, without the file.
tl::expected<DumpedRank, Message> readDumpValues(const trainer::pickle::Values& values);

/// Returns "nccl" of entries "nccl:all_reduce"; empty if there are no entries.
std::string backendOfDump(const DumpedRank& dump);
inline bool isGlooDump(const DumpedRank& dump) {
    return backendOfDump(dump) == "gloo";
}

} // namespace rankscope::explain
