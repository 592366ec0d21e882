// SPDX-License-Identifier: Apache-2.0
// Joins the ranks' arrivals at the same collective, to find out which rank waited for which.
#pragma once

#include "core/store/tables/metrics.h"
#include "core/telemetry/format/records.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::store {

/// Sum of the waits of one rank for another.
struct PairSum {
    std::int64_t waitNs = 0, collectives = 0;
};
/// Such sums are kept for buckets of 1, 16, 256, 4096 and 65536 steps.
inline constexpr int kPairLevels = 5;

/// Returns the kind of collective without its number: "gradient:3" -> "gradient".
std::string_view tagFamily(std::string_view tag);
/// Returns the metric that a collective's wait is added to, in addition to WaitTotal.
Metric waitMetric(std::string_view tag);

/// Returns whether the ranks of a group of this size (-1: not known) meet in the operation. A send and a receive meet
/// only in a group of two: the other ranks of a larger one make no such call.
bool canJoin(telemetry::CollectiveOp op, int groupSize);

/// One rank's arrival, and where its row is.
struct Arrival {
    static constexpr std::size_t kStored = ~std::size_t{0};
    bool present = false;
    std::int64_t arrivedNs = 0, step = -1;
    int tag = 0;
    std::size_t row = kStored; ///< index among the round's new rows, or kStored: already in the database
    std::int64_t mostNs = std::numeric_limits<std::int64_t>::max(); ///< upper limit of its wait: waitLimit()
    std::int64_t blockedNs = 0;                                     ///< blockedNs(): blocked by wait and transfer
};

/// Returns the most that a rank can have waited. A length sync in its own group is abandoned after a time limit, so the
/// rank waited no longer than it was blocked; a send may be done (`lastedNs`) before its message is received; all other
/// collectives are waited for until they complete.
std::int64_t waitLimit(telemetry::CollectiveOp op, std::uint32_t group, std::string_view tag, std::int64_t exposedNs,
                       std::int64_t lastedNs);

/// Returns how long a collective blocked the training thread, from its arrival. If that was not measured: 0 for a
/// gradient bucket, which overlaps with backward, else `lastedNs`, the time until it was done.
std::int64_t blockedNs(std::string_view tag, std::int64_t exposedNs, std::int64_t lastedNs);

/// Arrivals of collectives that some rank has not reached yet.
class WaitJoiner {
public:
    using JoinKey = std::pair<std::uint32_t, std::uint64_t>; ///< group, sequence

    explicit WaitJoiner(int worldSize = 0) : m_worldSize(worldSize) {}

    /// Adds an arrival. Returns the arrivals by rank, those of other groups not present, if this was the last one of
    /// the `groupSize` ranks of the group.
    std::optional<std::vector<Arrival>> add(JoinKey key, int rank, const Arrival& arrival, int groupSize);
    /// Call it when a rank has restarted: its sequence numbers count from 0 again.
    void forget(int rank);
    /// Call it when the round's rows are in the database.
    void rowsStored();
    std::size_t pending() const { return m_pending.size(); }
    /// Returns and resets the number of collectives that were dropped because too many were open.
    std::size_t takeDroppedCount() { return std::exchange(m_givenUp, 0); }

private:
    struct PendingJoin {
        int present = 0;
        std::vector<Arrival> arrivals;
    };
    int m_worldSize = 0;
    std::map<JoinKey, PendingJoin> m_pending;
    std::size_t m_givenUp = 0;
};

} // namespace rankscope::store
