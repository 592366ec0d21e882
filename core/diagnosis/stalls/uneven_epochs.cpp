// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/uneven_epochs.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <iterator>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

/// Returns the first step for which the rank has no batch in the epoch in which others are; -1 if it may have one.
std::int64_t firstWithoutBatch(const BoardSnapshot& b, int firstEpoch, std::int64_t mostSteps) {
    if (b.epoch > firstEpoch)
        return b.step; // the first of its next epoch
    const bool atEnd = b.stepsPerEpoch > 0 && b.stepsPerEpoch < mostSteps && (b.step + 1) % b.stepsPerEpoch == 0;
    return atEnd ? b.step + 1 : -1;
}

/// Returns the ranks that validate, if all others are in a step of the same epoch for which these have no batch.
std::vector<int> validatingEarly(const Observation& o, const std::vector<CollectiveCall>& calls) {
    std::vector<int> ranks;
    std::int64_t without = -1, reached = INT64_MAX;
    int epoch = INT_MAX, othersEpoch = INT_MIN;
    for (const CollectiveCall& c : calls) {
        const auto& board = o.ranks[static_cast<std::size_t>(c.rank)].board;
        const std::int64_t steps = board ? board->stepsPerEpoch : 0;
        if (c.phase != Phase::Validate) {
            reached = std::min(reached, c.step);
            othersEpoch = std::max(othersEpoch, board ? board->epoch : 0);
            continue;
        }
        if (steps > 0 && (c.step + 1) % steps != 0)
            return {}; // in between
        ranks.push_back(c.rank);
        without = std::max(without, steps > 0 ? c.step + 1 : c.step);
        epoch = std::min(epoch, board ? board->epoch : 0);
    }
    return without <= reached && othersEpoch <= epoch ? ranks : std::vector<int>{};
}

} // namespace

std::vector<int> ranksWithoutBatches(const Observation& o) {
    std::int64_t mostSteps = 0, reached = -1; // reached: the newest step of the first epoch
    int firstEpoch = INT_MAX;
    for (const RankObservation& r : o.ranks) {
        if (!r.board || r.board->step < 0)
            continue;
        mostSteps = std::max(mostSteps, r.board->stepsPerEpoch);
        if (r.board->epoch < firstEpoch)
            reached = -1;
        firstEpoch = std::min(firstEpoch, r.board->epoch);
        if (r.board->epoch == firstEpoch)
            reached = std::max(reached, r.board->step);
    }
    std::vector<int> ranks;
    for (const RankObservation& r : o.ranks) {
        if (!r.board || r.board->step < 0)
            continue;
        const std::int64_t without = firstWithoutBatch(*r.board, firstEpoch, mostSteps);
        if (without >= 0 && without <= reached)
            ranks.push_back(r.rank);
    }
    return ranks;
}

std::vector<int> ranksWithoutBatches(const Observation& o, const std::vector<CollectiveCall>& calls) {
    std::vector<int> ranks;
    std::ranges::copy_if(ranksWithoutBatches(o), std::back_inserter(ranks),
                         [&](int rank) { return std::ranges::binary_search(calls, rank, {}, &CollectiveCall::rank); });
    return ranks.empty() ? validatingEarly(o, calls) : ranks;
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
