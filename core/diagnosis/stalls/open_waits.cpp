// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/open_waits.h"

#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <algorithm>
#include <limits>

namespace rankscope::diagnosis {

static OpenWait waitOf(const RankObservation& waiter, const Site& site, const Observation& o) {
    OpenWait wait;
    wait.rank = waiter.rank;
    wait.holder = site.holders.front();
    wait.collective = site.collective;
    wait.step = waiter.board->step;
    const auto* mine = collectiveOf(waiter, site.collective.group);
    wait.sinceNs = mine ? mine->enteredNs : site.sinceNs;
    if (const auto& holder = o.ranks[static_cast<std::size_t>(wait.holder)].board)
        wait.holderPhase = holder->phase;
    return wait;
}

std::vector<OpenWait> openWaits(const Observation& observation, std::int64_t atLeastNs) {
    const PlausibleObservation plausible(observation);
    const Observation& o = plausible.get();
    std::vector<OpenWait> waits;
    for (const Site& site : findHolds(o, std::numeric_limits<std::int64_t>::max()).sites)
        for (const int w : site.waiters) {
            const auto& waiter = o.ranks[static_cast<std::size_t>(w)];
            if (!waiter.board)
                continue;
            OpenWait wait = waitOf(waiter, site, o);
            if (o.nowNs - wait.sinceNs >= atLeastNs)
                waits.push_back(std::move(wait));
        }
    std::stable_sort(waits.begin(), waits.end(), [](const auto& a, const auto& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.sinceNs < b.sinceNs;
    });
    // of a rank that waits in two groups the wait that began first
    waits.erase(std::unique(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.rank == b.rank; }),
                waits.end());
    return waits;
}

} // namespace rankscope::diagnosis
