// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/memory_tracker.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/remedy.h"

#include <algorithm>

namespace rankscope::diagnosis {

namespace {

/// Returns the memory of the rank's process and of those that it has started; -1: not known.
std::int64_t bytesOf(const RankObservation& r) {
    if (!r.resources || r.resources->rssBytes < 0)
        return -1;
    return r.resources->rssBytes + std::max<std::int64_t>(0, r.resources->workersRssBytes);
}

} // namespace

/// Returns the rank to which most of the growth goes; all of them if it goes to several.
std::vector<int> MemoryTracker::fastest() const {
    double sum = 0, most = 0;
    int fastest = -1;
    std::vector<int> all;
    for (const RankObservation& r : m_o.ranks) {
        const double growth = m_s.memory.growthOf(r.rank);
        sum += growth;
        if (growth > most) {
            most = growth;
            fastest = r.rank;
        }
        if (bytesOf(r) >= 0)
            all.push_back(r.rank);
    }
    return fastest >= 0 && most >= kMostOfAWait * sum ? std::vector<int>{fastest} : all;
}

/// Returns whether at least half of the growth is that of the ranks' processes, or so much memory is in use that it
/// does not matter whose growth it is.
bool MemoryTracker::concernsTheRun() const {
    const auto newest = m_s.memory.newest();
    const auto& forecast = m_s.memory.forecast();
    if (!newest || !forecast)
        return false;
    double growth = 0;
    for (const RankObservation& r : m_o.ranks)
        growth += m_s.memory.growthOf(r.rank);
    return growth >= 0.5 * forecast->bytesPerSecond || MemoryTrend::isNearlyFull(*newest);
}

void MemoryTracker::describe(Incident& in) const {
    const auto newest = m_s.memory.newest();
    if (const auto& forecast = m_s.memory.forecast(); newest && forecast) {
        in.evidence.memoryUsedBytes = newest->usedBytes;
        in.evidence.memoryLimitBytes = newest->limitBytes;
        in.evidence.memoryLeftSeconds = forecast->secondsLeft;
        in.evidence.memoryGrowthBytes = forecast->bytesPerSecond;
    }
    double growth = 0;
    std::int64_t rss = 0, workers = 0, workersRss = 0;
    for (const int rank : in.holders) {
        growth += m_s.memory.growthOf(rank);
        const auto& resources = m_o.ranks[static_cast<std::size_t>(rank)].resources;
        if (!resources)
            continue;
        rss += std::max<std::int64_t>(0, resources->rssBytes);
        workers += std::max<std::int64_t>(0, resources->workers);
        workersRss += std::max<std::int64_t>(0, resources->workersRssBytes);
    }
    in.evidence.holderGrowthBytes = growth;
    in.evidence.rssBytes = rss;
    in.evidence.workers = workers;
    in.evidence.workersRssBytes = workersRss;
}

void MemoryTracker::track() {
    std::vector<std::int64_t> bytes;
    for (const RankObservation& r : m_o.ranks)
        bytes.push_back(bytesOf(r));
    // all ranks of a host report the same memory
    const auto measured = std::ranges::find_if(m_o.ranks, [](const RankObservation& r) {
        return r.resources && r.resources->memoryUsedBytes >= 0 && r.resources->memoryLimitBytes > 0;
    });
    if (measured != m_o.ranks.end())
        m_s.memory.add({m_o.nowNs, measured->resources->memoryUsedBytes, measured->resources->memoryLimitBytes}, bytes);
    if (OpenHold* t = m_s.incidents.find(Rule::Memory)) {
        if (!m_s.memory.warns())
            return; // it is over
        if (m_o.nowNs - t->updatedNs >= OpenIncidents::kUpdateEveryNs)
            describe(t->incident);
        m_s.incidents.update(*t);
        return;
    }
    if (!m_s.memory.warns() || !concernsTheRun())
        return;
    Incident in;
    in.cause = Cause::MemoryRunsOut;
    in.openedNs = m_o.nowNs;
    in.holders = fastest();
    if (in.holders.empty())
        return;
    in.evidence.thresholdSeconds = MemoryTrend::kWarnSeconds;
    for (const int rank : in.holders)
        if (const auto& board = m_o.ranks[static_cast<std::size_t>(rank)].board)
            in.step = std::max(in.step, board->step);
    describe(in);
    m_s.incidents.start(Rule::Memory, std::move(in));
}

} // namespace rankscope::diagnosis
