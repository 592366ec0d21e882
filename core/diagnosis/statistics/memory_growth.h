// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/statistics/memory_trend.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rankscope::diagnosis {

/// Follows the memory of the host, or of the control group with the least room, and how much of its growth is that of
/// each rank with its loader workers.
class MemoryGrowth {
public:
    explicit MemoryGrowth(int worldSize) : m_ranks(static_cast<std::size_t>(worldSize)) {}

    /// Adds a measurement. `rankBytes`: by rank, of its process and of those that it has started; -1: not known.
    void add(const MemorySample& memory, const std::vector<std::int64_t>& rankBytes);
    bool warns() const { return m_trend.warns(); }
    /// Returns the forecast, with the memory in use and allowed; none if the memory does not grow.
    const std::optional<MemoryForecast>& forecast() const { return m_trend.forecast(); }
    std::optional<MemorySample> newest() const;
    /// Returns the growth of a rank in bytes per second over the newest two minutes; 0: not known, or it does not grow.
    double growthOf(int rank) const;

    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not a valid state.
    bool load(ByteDecoder& in);

private:
    MemoryTrend m_trend;
    std::vector<std::vector<MemorySample>> m_ranks; ///< by rank: the newest samples
};

} // namespace rankscope::diagnosis
