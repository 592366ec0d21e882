// SPDX-License-Identifier: Apache-2.0
// How long ranks wait for each other: arrivals at a collective joined into waits, and waits that overlap counted once.
// The detector, the store and the wait matrix all use these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

/// [beginNs, endNs) on one clock.
struct TimeSpan {
    std::int64_t beginNs = 0, endNs = 0;
    std::int64_t lengthNs() const { return endNs > beginNs ? endNs - beginNs : 0; }
    friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};
/// Returns the span that both contain; its length is 0 if they do not overlap.
TimeSpan overlapOf(const TimeSpan& a, const TimeSpan& b);
/// Returns the summed lengths of the spans.
std::int64_t lengthOf(std::span<const TimeSpan> spans);

/// The wait of each rank in a collective that all ranks have entered. The rank of the latest arrival (of several, the
/// lowest) holds the others.
struct ArrivalWaits {
    int holder = -1;
    std::int64_t latestNs = 0;        ///< its arrival
    std::vector<std::int64_t> waitNs; ///< by rank: latest arrival - own arrival
};
/// Returns the waits for the arrival times `arrivedNs`, by rank.
ArrivalWaits computeWaits(std::span<const std::int64_t> arrivedNs);

/// A set of times in which each moment counts once, however often it is added.
class CountedTime {
public:
    CountedTime() = default;
    /// `spans`: as spans() returned them, or any others.
    explicit CountedTime(std::span<const TimeSpan> spans);

    /// Counts the span and returns how much of it, in ns, was not counted before. These parts are appended
    /// to `fresh`.
    std::int64_t add(const TimeSpan& span, std::vector<TimeSpan>* fresh = nullptr);
    /// Returns the end of the latest span; 0 if nothing was counted.
    std::int64_t untilNs() const { return m_spans.empty() ? 0 : m_spans.back().endNs; }
    /// Returns the counted spans, ascending and disjoint.
    const std::vector<TimeSpan>& spans() const { return m_spans; }
    /// Counts the gaps between the spans as well, so that one span is left: for times to which little is added later.
    void closeGaps();

private:
    std::vector<TimeSpan> m_spans;
};

/// A rank's wait in one collective.
struct RankWait {
    TimeSpan span; ///< from its own arrival to the latest one
    /// How long from the beginning of the wait the rank's training thread was blocked. After that it continued while
    /// the collective was pending, as it does for a gradient bucket.
    std::int64_t blockedNs = 0;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
};

/// The part of a wait that counts.
struct CountedPart {
    std::size_t wait = 0; ///< index of the wait
    TimeSpan span;
};

/// Distributes the time that a rank waited among its waits, so that each moment counts for one of them: the sum is the
/// length of the union of the waits, never more than the time that passed. A moment in several waits counts for one in
/// which the training thread was blocked, if there is one, and among those for the one that began first. The result
/// does not depend on the order of `waits`. The parts of a wait are ascending.
std::vector<CountedPart> countOnce(std::span<const RankWait> waits);

} // namespace rankscope::diagnosis
