// SPDX-License-Identifier: Apache-2.0
#include "core/store/waits/wait_joiner.h"

#include <algorithm>

namespace rankscope::store {

/// A group that never has all ranks (or a rank that is gone) must not fill the memory.
static constexpr std::size_t kMaxPending = 1u << 16;

std::string_view tagFamily(std::string_view tag) {
    return tag.substr(0, std::min(tag.find(':'), tag.size()));
}

Metric waitMetric(std::string_view tag) {
    const std::string_view family = tagFamily(tag);
    if (family == "sync_max_audio_length")
        return Metric::WaitLengthSync;
    if (family == "gradient")
        return Metric::WaitGradient;
    if (family == "sync_batchnorm")
        return Metric::WaitSyncBatchNorm;
    if (family == "barrier")
        return Metric::WaitBarrier;
    if (family == "metrics")
        return Metric::WaitMetrics;
    return Metric::WaitOther;
}

bool canJoin(telemetry::CollectiveOp op, int groupSize) {
    const bool message = op == telemetry::CollectiveOp::Send || op == telemetry::CollectiveOp::Recv;
    return message ? groupSize == 2 : groupSize > 0;
}

std::int64_t waitLimit(telemetry::CollectiveOp op, std::uint32_t group, std::string_view tag, std::int64_t exposedNs,
                       std::int64_t lastedNs) {
    if (op == telemetry::CollectiveOp::Send)
        return std::max<std::int64_t>(0, lastedNs);
    const bool timed = group != 0 && waitMetric(tag) == Metric::WaitLengthSync && exposedNs >= 0;
    return timed ? exposedNs : std::numeric_limits<std::int64_t>::max();
}

std::int64_t blockedNs(std::string_view tag, std::int64_t exposedNs, std::int64_t lastedNs) {
    if (exposedNs >= 0)
        return exposedNs;
    return waitMetric(tag) == Metric::WaitGradient ? 0 : std::max<std::int64_t>(0, lastedNs);
}

std::optional<std::vector<Arrival>> WaitJoiner::add(JoinKey key, int rank, const Arrival& arrival, int groupSize) {
    PendingJoin& pending = m_pending[key];
    if (pending.arrivals.empty())
        pending.arrivals.resize(static_cast<std::size_t>(m_worldSize));
    Arrival& mine = pending.arrivals[static_cast<std::size_t>(rank)];
    if (!mine.present)
        ++pending.present;
    mine = arrival;
    mine.present = true;
    if (pending.present == groupSize) {
        auto arrivals = std::move(pending.arrivals);
        m_pending.erase(key);
        return arrivals;
    }
    if (m_pending.size() > kMaxPending) { // the oldest of the lowest group
        m_pending.erase(m_pending.begin());
        ++m_givenUp;
    }
    return std::nullopt;
}

void WaitJoiner::forget(int rank) {
    for (auto at = m_pending.begin(); at != m_pending.end();) {
        Arrival& mine = at->second.arrivals[static_cast<std::size_t>(rank)];
        at->second.present -= mine.present;
        mine = {};
        at = at->second.present == 0 ? m_pending.erase(at) : std::next(at);
    }
}

void WaitJoiner::rowsStored() {
    for (auto& [key, pending] : m_pending)
        for (Arrival& arrival : pending.arrivals)
            arrival.row = Arrival::kStored;
}

} // namespace rankscope::store
