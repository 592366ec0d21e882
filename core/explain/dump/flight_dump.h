// SPDX-License-Identifier: Apache-2.0
// Dumps of PyTorch's Flight Recorder, versions 2.0 to 2.10 of its format (PyTorch 2.4 to 2.15): the pickle that NCCL's
// watchdog writes (TORCH_FR_DUMP_TEMP_FILE, else /tmp/nccl_trace_rank_N) and the JSON of _dump_fr_trace_json, which has
// no frames. Nothing is executed; torch/csrc/distributed/c10d/FlightRecorder.hpp has the fields.
//
// What "ended" means differs:
// - NCCL: `state` is Completed once the device was seen to have completed it. A retired entry that is not Completed was
//   given up by the watchdog: it timed out or was aborted.
// - Gloo records no starts and no ends: `state` stays Scheduled. An entry that is not retired waits. A retired one has
//   ended, by success or by an error, which the dump does not tell apart. Gloo also counts what failed as "last
//   completed", so that this number is left out here.
// - Backends that are recorded by hooks (2.15): retired means Completed.
//
// The ranks of groups are global. Gloo gives its groups no names there, and the ranks are those of the group that was
// made last: they exist, but more may.
#pragma once

#include "core/base/values/error.h"
#include "core/explain/model/hang_evidence.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::explain {

inline constexpr std::size_t kLargestDump = 128u << 20; ///< bytes; PyTorch's 2,000 entries are 1 MB

/// Returns the number at the end of a dump's name, without ".json", ".pickle" or ".pkl": 3 of "nccl_trace_rank_3",
/// "comm_lib_trace_rank_3" and "dumps/job_3.json". A name that is a number alone is one, too. None: unknown.
std::optional<int> rankOfDumpName(std::string_view name);

/// Reads a dump. `name` is for Place and for errors; the rank is `rank` or, if absent, rankOfDumpName(name). At most
/// the newest 100,000 entries are kept. Error: the file, what is wrong and, of a pickle or JSON, the byte.
Result<DumpedRank> parseFlightDump(std::string_view bytes, const std::string& name, std::optional<int> rank = {});

/// Reads a file and adds what it says: to `dumps`, `files`, and where they are not yet known `worldSize` and `backend`.
/// A file that cannot be read is added to `files` with its problem, which is also the error.
Result<void> addFlightDump(const std::filesystem::path& path, const std::string& name, std::optional<int> rank,
                           HangEvidence& evidence);

} // namespace rankscope::explain
