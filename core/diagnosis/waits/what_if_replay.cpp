// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/waits/what_if_replay.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rankscope::diagnosis {

namespace {

using Rows = std::vector<CollectiveTimes>;

bool sameCollective(const CollectiveTimes& a, const CollectiveTimes& b) {
    return a.group == b.group && a.sequence == b.sequence;
}

std::int64_t latestOf(std::span<const CollectiveTimes> ranks) {
    return std::max_element(ranks.begin(), ranks.end(),
                            [](const auto& a, const auto& b) { return a.arrivedNs < b.arrivedNs; })
        ->arrivedNs;
}

} // namespace

WhatIfReplay::WhatIfReplay(int worldSize, telemetry::ProcessGroups groups)
    : m_clocks(static_cast<std::size_t>(std::max(worldSize, 1))), m_groups(std::move(groups)) {
    m_sums.ranks.resize(m_clocks.size());
}

/// Sorts rows by collective and rank and returns one span per collective; empty if one of them lacks a rank.
std::vector<std::span<const CollectiveTimes>> WhatIfReplay::collectivesOf(Rows& rows) const {
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.group, a.sequence, a.rank) < std::tie(b.group, b.sequence, b.rank);
    });
    std::vector<std::span<const CollectiveTimes>> collectives;
    std::vector<int> members;
    for (std::size_t at = 0; at < rows.size(); at += members.size()) {
        if (at == 0 || rows[at].group != rows[at - 1].group)
            members = m_groups.membersOf(rows[at].group, static_cast<int>(m_clocks.size()));
        const auto one = std::span<const CollectiveTimes>(rows).subspan(at, std::min(members.size(), rows.size() - at));
        if (members.empty() || one.size() != members.size())
            return {};
        for (std::size_t m = 0; m < members.size(); ++m)
            if (one[m].rank != members[m] || !sameCollective(one[m], one[0]))
                return {};
        collectives.push_back(one);
    }
    return collectives;
}

void WhatIfReplay::step(std::int64_t step, Rows& rows, std::span<const std::int64_t> beginNs) {
    auto collectives = collectivesOf(rows);
    const bool goesOn = m_before >= 0 && m_before == step - 1;
    if (collectives.empty() || (!goesOn && beginNs.size() != m_clocks.size()))
        return skip();
    // every rank calls them in the same order, so the latest arrivals are in that order too, across groups
    std::stable_sort(collectives.begin(), collectives.end(),
                     [](const auto& a, const auto& b) { return latestOf(a) < latestOf(b); });
    if (!goesOn) {
        endChain();
        for (std::size_t r = 0; r < m_clocks.size(); ++r)
            m_clocks[r] = {beginNs[r], beginNs[r], beginNs[r], 0};
    }
    for (const auto& ranks : collectives)
        meet(ranks);
    endStep();
    m_before = step;
    m_sums.firstStep = m_sums.firstStep < 0 ? step : m_sums.firstStep;
    m_sums.lastStep = step;
    ++m_sums.steps;
}

void WhatIfReplay::skip() {
    endChain();
    m_before = -1;
    ++m_sums.skipped;
}

void WhatIfReplay::meet(std::span<const CollectiveTimes> ranks) {
    if (std::all_of(ranks.begin(), ranks.end(), [](const auto& r) { return r.blockedNs() == 0; }))
        return; // overlapped by the own work of all ranks
    const bool lengthSync = ranks.front().family == kLengthSyncFamily;
    const std::int64_t latestNs = latestOf(ranks);
    std::int64_t replayedLatestNs = INT64_MIN;
    for (const CollectiveTimes& times : ranks) {
        ReplayClock& clock = m_clocks[static_cast<std::size_t>(times.rank)];
        RankTimes& sums = m_sums.ranks[static_cast<std::size_t>(times.rank)];
        const std::int64_t ownNs = times.arrivedNs - clock.leftNs;
        clock.withoutSyncNs += ownNs;
        clock.stepOwnNs += ownNs;
        sums.ownNs += ownNs;
        sums.waitNs += times.blockedWaitNs();
        sums.transferNs += times.blockedTransferNs();
        if (lengthSync)
            m_sums.lengthSyncWaitNs += static_cast<double>(times.blockedWaitNs());
        clock.leftNs = times.leftNs();
        replayedLatestNs = std::max(replayedLatestNs, clock.withoutSyncNs);
    }
    m_sums.lengthSyncs += lengthSync;
    if (lengthSync)
        return;
    for (const CollectiveTimes& times : ranks) {
        // a rank that left before the last arrival did not wait for it, such as the root of a broadcast
        const bool waited = times.leftNs() >= latestNs;
        std::int64_t& withoutSyncNs = m_clocks[static_cast<std::size_t>(times.rank)].withoutSyncNs;
        withoutSyncNs = waited ? replayedLatestNs + (times.leftNs() - latestNs) : withoutSyncNs + times.blockedNs();
    }
}

void WhatIfReplay::endStep() {
    double sum = 0;
    std::int64_t longest = INT64_MIN;
    for (ReplayClock& clock : m_clocks) {
        sum += static_cast<double>(clock.stepOwnNs);
        longest = std::max(longest, std::exchange(clock.stepOwnNs, 0));
    }
    m_sums.imbalanceNs += static_cast<double>(longest) - sum / static_cast<double>(m_clocks.size());
}

void WhatIfReplay::endChain() {
    for (ReplayClock& clock : m_clocks) {
        m_sums.observedNs += static_cast<double>(clock.leftNs - clock.startNs);
        m_sums.withoutLengthSyncNs += static_cast<double>(clock.withoutSyncNs - clock.startNs);
        clock = {};
    }
}

WhatIfResult WhatIfReplay::result() const {
    WhatIfReplay ended = *this;
    ended.endChain();
    WhatIfResult sums = std::move(ended.m_sums);
    const auto ranks = static_cast<double>(m_clocks.size());
    for (const RankTimes& rank : sums.ranks)
        sums.balancedNs += static_cast<double>(rank.ownNs + rank.transferNs);
    sums.observedNs /= ranks;
    sums.balancedNs /= ranks;
    sums.withoutLengthSyncNs /= ranks;
    sums.lengthSyncWaitNs /= ranks;
    return sums;
}

} // namespace rankscope::diagnosis
