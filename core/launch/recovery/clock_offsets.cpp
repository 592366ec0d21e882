// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recovery/clock_offsets.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace rankscope::launch {

namespace {

/// Wall minus monotonic time of two processes on one host differs by what the wall clock was corrected in between.
constexpr std::int64_t kSameClockNs = 1'000'000'000;

struct Bounds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
};

/// Of what is added to b's times, from the collectives that both were in.
Bounds boundsOf(const ClockEvidence& a, const ClockEvidence& b) {
    Bounds bounds;
    for (const auto& [key, there] : b.collectives) {
        const auto here = a.collectives.find(key);
        if (here == a.collectives.end())
            continue;
        bounds.low = std::max(bounds.low, here->second.arrivedNs - there.doneNs);
        bounds.high = std::min(bounds.high, here->second.doneNs - there.arrivedNs);
    }
    return bounds;
}

std::int64_t wallMinusMonotonic(const ClockEvidence& rank) {
    return rank.realtimeNs - rank.monotonicNs;
}

std::int64_t offsetOf(const ClockEvidence& first, const ClockEvidence& other) {
    const std::int64_t byWall = wallMinusMonotonic(other) - wallMinusMonotonic(first);
    const Bounds bounds = boundsOf(first, other);
    if (bounds.low == Bounds{}.low)
        return byWall; // they met in nothing
    return bounds.low + (bounds.high - bounds.low) / 2;
}

} // namespace

bool synchronises(telemetry::CollectiveOp op) {
    using telemetry::CollectiveOp;
    return op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather || op == CollectiveOp::Barrier ||
           op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllToAll;
}

std::vector<std::int64_t> clockOffsets(std::span<const ClockEvidence> ranks) {
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        // ranks of one host agree: what was found for the first of them holds
        std::size_t same = 0;
        while (same < i && !(ranks[same].host == ranks[i].host &&
                             std::abs(wallMinusMonotonic(ranks[same]) - wallMinusMonotonic(ranks[i])) < kSameClockNs))
            ++same;
        offsets.push_back(same < i ? offsets[same] : i == 0 ? 0 : offsetOf(ranks[0], ranks[i]));
    }
    return offsets;
}

} // namespace rankscope::launch
