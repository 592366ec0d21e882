// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/round_clock.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace rankscope::launch {

using diagnosis::UnwatchedTime;

/// A round takes a tenth of a second, or several tenths on a busy machine or a slow disk.
static constexpr std::int64_t kLongNs = 1'000'000'000;

/// Returns how long the machine has been suspended since it booted.
static std::int64_t suspendedNs() {
    timespec boot{}, monotonic{};
    if (::clock_gettime(CLOCK_BOOTTIME, &boot) != 0 || ::clock_gettime(CLOCK_MONOTONIC, &monotonic) != 0)
        return 0;
    return (boot.tv_sec - monotonic.tv_sec) * 1'000'000'000LL + boot.tv_nsec - monotonic.tv_nsec;
}

UnwatchedTime::RankActivity whatRanksDid(bool supervisorContinued, int ranks, int continued, std::int64_t cpuNs,
                                         std::int64_t unwatchedNs) {
    if (cpuNs >= unwatchedNs / 2)
        return UnwatchedTime::RankActivity::Ran;
    if (ranks > 0 && continued == ranks)
        return UnwatchedTime::RankActivity::StoodStill;
    // a batch system stops and continues either all processes of a job by signals, or none
    return supervisorContinued || continued > 0 ? UnwatchedTime::RankActivity::Ran
                                                : UnwatchedTime::RankActivity::Unknown;
}

UnwatchedTime RoundClock::next(std::int64_t nowNs, bool continued, std::vector<RankMonitor>& ranks) {
    UnwatchedTime unwatched;
    int living = 0, continuedRanks = 0;
    std::int64_t mostCpuNs = 0;
    m_cpuNs.resize(ranks.size(), INT64_MAX);
    m_continued.resize(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        RankMonitor& rank = ranks[r];
        const bool continuedBefore = std::exchange(m_continued[r], rank.takeContinued());
        if (rank.ended() || !rank.appeared())
            continue;
        ++living;
        continuedRanks += continuedBefore || m_continued[r] || rank.stoppedSinceNs() != 0;
        mostCpuNs = std::max(mostCpuNs, rank.cpuNs() - std::min(m_cpuNs[r], rank.cpuNs()));
        m_cpuNs[r] = rank.cpuNs();
    }
    const std::int64_t suspended = suspendedNs();
    if (m_lastNs != 0 && nowNs - m_lastNs >= kLongNs) {
        unwatched.beginNs = m_lastNs;
        unwatched.ranks = whatRanksDid(continued, living, continuedRanks, mostCpuNs, nowNs - m_lastNs);
        std::ranges::fill(m_continued, 0);
    }
    if (m_lastNs != 0 && suspended - m_suspendedNs >= kLongNs)
        unwatched.suspendedNs = suspended - m_suspendedNs;
    m_lastNs = nowNs;
    m_suspendedNs = suspended;
    return unwatched;
}

} // namespace rankscope::launch
