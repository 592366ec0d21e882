// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/waits/scaling_model.h"

#include <algorithm>

namespace rankscope::diagnosis {

Scaling scalingOf(const WhatIfResult& run, double samples, const WorkDone& oneRank) {
    Scaling s;
    s.ranks = static_cast<int>(run.ranks.size());
    if (run.observedNs <= 0 || samples <= 0 || oneRank.perSecond() <= 0)
        return s;
    const auto ranks = static_cast<double>(s.ranks);
    double waitNs = 0, transferNs = 0, ownNs = 0; // means over the ranks
    for (const RankTimes& rank : run.ranks) {
        waitNs += static_cast<double>(rank.waitNs) / ranks;
        transferNs += static_cast<double>(rank.transferNs) / ranks;
        ownNs += static_cast<double>(rank.ownNs) / ranks;
    }
    // the time that one rank alone needs for a rank's share of the work
    const double idealNs = samples / ranks / oneRank.perSecond() * 1e9;
    const double imbalanceNs = std::clamp(run.imbalanceNs, 0.0, waitNs);
    const double unit = ranks / run.observedNs;
    s.speedUp = unit * idealNs;
    s.imbalance = unit * imbalanceNs;
    s.waiting = unit * (waitNs - imbalanceNs);
    s.transfer = unit * transferNs;
    s.own = unit * (ownNs - idealNs);
    return s;
}

std::optional<std::pair<double, double>> usualSpeedUp(int ranks) {
    switch (ranks) {
    case 2:
        return std::pair(1.8, 1.9);
    case 4:
        return std::pair(3.5, 3.8);
    case 8:
        return std::pair(7.0, 7.5);
    default:
        return std::nullopt;
    }
}

} // namespace rankscope::diagnosis
