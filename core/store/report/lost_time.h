// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/read/run_reader.h"

#include <cstdint>

namespace rankscope::store {

/// The time that a run lost because its ranks waited for each other, over the steps that all ranks have ended. Pauses
/// of the whole run are neither waits nor part of its duration.
struct LostTime {
    std::int64_t steps = 0;    ///< steps counted; 0: nothing is known
    std::int64_t lastedNs = 0; ///< from the beginning of the first to the end of the newest
    /// How long a rank's training thread was blocked in collectives until the last rank arrived, as a mean over the
    /// ranks. With balanced ranks these steps would have been shorter by this time. Same as WaitReport::lostNs().
    double lostNs = 0;
    bool estimated = false; ///< partly based on sums, for steps whose single collectives are no longer kept

    double share() const { return lastedNs > 0 ? lostNs / static_cast<double>(lastedNs) : 0; }
    friend bool operator==(const LostTime&, const LostTime&) = default;
};

/// Counts the lost time of one store step by step, so that a live run is not read again and again.
class LostTimeReader {
public:
    /// Counts the steps that all ranks have ended and that were not counted yet. Stops after about `mostNs`, but each
    /// call counts at least some. Returns whether all of them are counted now.
    Result<bool> advance(RunReader& reader, std::int64_t mostNs = INT64_MAX);
    const LostTime& soFar() const { return m_lost; }

private:
    Result<void> estimate(RunReader& reader, StepInterval steps);
    Result<void> count(RunReader& reader, StepInterval steps);
    Result<void> leaveOutPauses(RunReader& reader, StepInterval steps, const diagnosis::ActiveClock& clock);

    LostTime m_lost;
    std::int64_t m_next = -1; ///< the first step that is not counted yet; -1: none is counted
    std::int64_t m_beginNs = 0;
};

} // namespace rankscope::store
