// SPDX-License-Identifier: Apache-2.0
// One rank in one collective that all ranks entered: the input for computing waits, replays and scaling.
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/telemetry/format/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::diagnosis {

inline constexpr std::size_t kPhaseCount = static_cast<std::size_t>(telemetry::Phase::Count);
inline constexpr std::string_view kLengthSyncFamily = "sync_max_audio_length";
inline constexpr std::string_view kGradientFamily = "gradient";

/// Times of one rank in one collective, in ns on one clock. The calling thread observes arrival and exposure, the
/// completing thread `doneNs`.
struct CollectiveTimes {
    std::int64_t step = -1;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    int rank = 0, holder = 0;
    std::string family; ///< the tag without its :<detail>
    std::int64_t arrivedNs = 0, doneNs = 0;
    std::int64_t exposedNs = -1; ///< -1: not measured
    std::int64_t waitNs = 0;     ///< latest arrival - own

    /// Converts all times to active time, so that none includes a pause of the whole run.
    void useActiveTime(const ActiveClock& clock) {
        waitNs -= clock.pausedIn(arrivedNs, latestNs());
        exposedNs -= exposedNs > 0 ? clock.pausedIn(arrivedNs, arrivedNs + exposedNs) : 0;
        doneNs = clock.active(doneNs);
        arrivedNs = clock.active(arrivedNs);
    }

    std::int64_t latestNs() const { return arrivedNs + waitNs; }

    /// Returns when the training thread continued. If its blocked time was not measured: immediately for a gradient
    /// bucket, which overlaps with backward; otherwise when the collective was done.
    std::int64_t leftNs() const {
        if (exposedNs >= 0)
            return arrivedNs + exposedNs;
        return family == kGradientFamily ? arrivedNs : std::max(arrivedNs, doneNs);
    }
    std::int64_t blockedNs() const { return leftNs() - arrivedNs; }
    /// Returns the part of the wait that blocked the training thread; the rest was overlapped by its own work.
    std::int64_t blockedWaitNs() const {
        return std::clamp<std::int64_t>(blockedNs(), 0, std::max<std::int64_t>(waitNs, 0));
    }
    /// Returns how long it blocked after the last rank had arrived.
    std::int64_t blockedTransferNs() const { return blockedNs() - blockedWaitNs(); }
};

} // namespace rankscope::diagnosis
