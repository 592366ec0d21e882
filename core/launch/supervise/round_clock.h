// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/process/rank_monitor.h"

#include <cstdint>
#include <vector>

namespace rankscope::launch {

/// Compares the supervisor's own clocks from one round to the next: if much more time has passed than a round takes,
/// the supervisor was stopped, frozen or suspended, and the ranks were not watched.
class RoundClock {
public:
    /// Call it once in every round, after all ranks were looked at. `continued`: this process got a SIGCONT since the
    /// last round. Returns an empty time in an ordinary round.
    diagnosis::UnwatchedTime next(std::int64_t nowNs, bool continued, std::vector<RankMonitor>& ranks);

private:
    std::int64_t m_lastNs = 0, m_suspendedNs = 0; ///< of the last round: monotonic, and suspended since boot
    std::vector<std::int64_t> m_cpuNs;            ///< of the ranks, in the last round
    /// Which ranks were found continued in the last round. If this process is stopped while it looks at the ranks, that
    /// round already finds some of them continued, and only the next one finds the time that has passed.
    std::vector<char> m_continued;
};

/// Returns what the ranks did while they were not watched for `unwatchedNs`. `continued`: number of ranks that got a
/// SIGCONT since the last look, or are still stopped. `cpuNs`: most processor time that one of them used meanwhile.
diagnosis::UnwatchedTime::RankActivity whatRanksDid(bool supervisorContinued, int ranks, int continued,
                                                    std::int64_t cpuNs, std::int64_t unwatchedNs);

} // namespace rankscope::launch
