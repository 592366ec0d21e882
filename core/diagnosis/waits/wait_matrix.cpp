// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/waits/wait_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::diagnosis {

using telemetry::Phase;

static std::size_t indexOf(Phase phase) {
    return phase < Phase::Count ? static_cast<std::size_t>(phase) : 0;
}

PhaseTimes splitByPhase(std::span<const PhaseSpan> spans, std::int64_t fromNs, std::int64_t toNs) {
    PhaseTimes times{};
    std::int64_t covered = 0, at = fromNs;
    auto span = std::partition_point(spans.begin(), spans.end(), [&](const auto& s) { return s.endNs <= fromNs; });
    for (; span != spans.end() && span->beginNs < toNs; ++span) {
        const std::int64_t begin = std::max(span->beginNs, at), end = std::min(span->endNs, toNs);
        if (end <= begin)
            continue;
        times[indexOf(span->phase)] += end - begin;
        covered += end - begin;
        at = end;
    }
    times[indexOf(Phase::None)] += std::max<std::int64_t>(toNs - fromNs, 0) - covered;
    return times;
}

PhaseTimes shareOut(std::int64_t total, const std::array<double, kPhaseCount>& weights) {
    PhaseTimes times{};
    double sum = 0;
    for (const double weight : weights)
        sum += std::isfinite(weight) && weight > 0 ? weight : 0;
    std::int64_t given = 0;
    std::size_t largest = indexOf(Phase::None);
    for (std::size_t p = 0; p < kPhaseCount && sum > 0; ++p) {
        if (!std::isfinite(weights[p]) || weights[p] <= 0)
            continue;
        times[p] = static_cast<std::int64_t>(static_cast<double>(total) * (weights[p] / sum));
        given += times[p];
        if (weights[p] > weights[largest] || !(weights[largest] > 0))
            largest = p;
    }
    times[largest] += total - given;
    return times;
}

WaitSums& WaitSums::operator+=(const WaitSums& other) {
    waitNs += other.waitNs;
    blockedNs += other.blockedNs;
    estimatedNs += other.estimatedNs;
    collectives += other.collectives;
    for (std::size_t p = 0; p < kPhaseCount; ++p)
        phaseNs[p] += other.phaseNs[p];
    untilEndNs += other.untilEndNs;
    return *this;
}

Phase WaitSums::mostly() const {
    return static_cast<Phase>(std::max_element(phaseNs.begin(), phaseNs.end()) - phaseNs.begin());
}

void WaitMatrix::add(const CollectiveTimes& times, std::span<const TimeSpan> counted,
                     std::span<const PhaseSpan> holderPhases) {
    if (times.waitNs <= 0)
        return;
    const TimeSpan blocked{times.arrivedNs, times.arrivedNs + times.blockedWaitNs()};
    WaitSums sums{lengthOf(counted), 0, 0, 1, {}, 0};
    for (const TimeSpan& part : counted) {
        sums.blockedNs += overlapOf(part, blocked).lengthNs();
        const PhaseTimes phases = splitByPhase(holderPhases, part.beginNs, part.endNs);
        for (std::size_t p = 0; p < kPhaseCount; ++p)
            sums.phaseNs[p] += phases[p];
    }
    add(times.rank, times.holder, times.family, sums);
}

void WaitMatrix::add(int waiter, int holder, std::string_view family, const WaitSums& sums) {
    auto at = m_cells.find(std::tuple(waiter, holder, family));
    if (at == m_cells.end())
        at = m_cells.emplace(PairKey(waiter, holder, std::string(family)), WaitSums{}).first;
    at->second += sums;
}

WaitSums WaitMatrix::total() const {
    return std::accumulate(m_cells.begin(), m_cells.end(), WaitSums{},
                           [](WaitSums sum, const auto& cell) { return sum += cell.second; });
}

std::vector<HolderCost> WaitMatrix::ranking() const {
    std::map<int, HolderCost> byRank;
    std::map<std::pair<int, std::string>, std::int64_t> byFamily;
    for (const auto& [key, sums] : m_cells) {
        const auto& [waiter, holder, family] = key;
        HolderCost& cost = byRank[holder];
        cost.rank = holder;
        cost.sums += sums;
        byFamily[{holder, family}] += sums.waitNs;
    }
    for (const auto& [key, waitNs] : byFamily) {
        HolderCost& cost = byRank[key.first];
        if (cost.family.empty() || waitNs > byFamily[{key.first, cost.family}])
            cost.family = key.second;
    }
    std::vector<HolderCost> ranking;
    for (auto& [rank, cost] : byRank)
        ranking.push_back(std::move(cost));
    std::stable_sort(ranking.begin(), ranking.end(),
                     [](const HolderCost& a, const HolderCost& b) { return a.sums.waitNs > b.sums.waitNs; });
    return ranking;
}

} // namespace rankscope::diagnosis
