// SPDX-License-Identifier: Apache-2.0
// Determines whether the store of a live run is up to date with its ranks. While it is not, nothing in it (an open
// incident, a rate) is presented as current.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::launch {

/// A store that is behind its ranks, and why.
struct StoreLag {
    enum class Reason : std::uint8_t {
        SupervisorStopped, ///< by SIGSTOP or Ctrl-Z
        CannotWrite,       ///< for example, the disk is full; `trouble` is the system's message
        Silent,            ///< the supervisor is alive and has stored nothing for kStoreLagNs
    } reason = Reason::Silent;
    std::int64_t sinceNs = 0;    ///< until then the store is complete; monotonic, from the supervisor; 0: unknown
    Message trouble;             ///< Reason::CannotWrite
    std::int64_t freeBytes = -1; ///< on the disk of the run's folder; -1: unknown

    friend bool operator==(const StoreLag&, const StoreLag&) = default;
};

/// A supervisor that has not stored for longer than this is behind: it stores ten times a second.
inline constexpr std::int64_t kStoreLagNs = 3'000'000'000;

/// Returns how far the store is behind. None: the run has ended, its store is up to date, or its clock means nothing
/// here (another host or boot).
std::optional<StoreLag> storeLag(const RunPaths& run, const RunInfo& info, const telemetry::StoreProgress& stored,
                                 std::int64_t nowNs);
/// Does the same; opens the run's control page for this call only.
std::optional<StoreLag> storeLag(const RunPaths& run, const RunInfo& info, std::int64_t nowNs);

/// Returns "the disk is full (0 B free): run.sqlite: database or disk is full"; a clause without a full stop.
Message lagText(const StoreLag& lag);

} // namespace rankscope::launch
