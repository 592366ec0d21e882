// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/uneven_epochs.h"

#include <algorithm>
#include <climits>

namespace rankscope::diagnosis {

std::vector<int> ranksWithoutBatches(const Observation& o) {
    std::int64_t mostSteps = 0;
    int firstEpoch = INT_MAX;
    for (const RankObservation& r : o.ranks) {
        if (!r.board || r.board->step < 0)
            continue;
        mostSteps = std::max(mostSteps, r.board->stepsPerEpoch);
        firstEpoch = std::min(firstEpoch, r.board->epoch);
    }
    std::vector<int> ranks;
    for (const RankObservation& r : o.ranks) {
        if (!r.board || r.board->step < 0)
            continue;
        const std::int64_t steps = r.board->stepsPerEpoch;
        const bool atEnd = steps > 0 && steps < mostSteps && (r.board->step + 1) % steps == 0;
        if (atEnd || r.board->epoch > firstEpoch)
            ranks.push_back(r.rank);
    }
    return ranks;
}

void addBatches(Incident& in, const Observation& o) {
    std::int64_t holders = 0, others = 0;
    for (const RankObservation& r : o.ranks) {
        if (!r.board || r.board->stepsPerEpoch <= 0)
            continue;
        std::int64_t& of = std::ranges::binary_search(in.holders, r.rank) ? holders : others;
        of = std::max(of, r.board->stepsPerEpoch);
    }
    if (holders <= 0 || others <= holders)
        return;
    in.evidence.holderBatches = holders;
    in.evidence.othersBatches = others;
}

} // namespace rankscope::diagnosis
