// SPDX-License-Identifier: GPL-3.0-or-later
// Computes count, sum, maximum and quantiles of durations in bounded memory. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::ui {

/// Keeps up to kExact values, so that quantiles are exact. If there are more, it keeps only the first eight binary
/// digits of each: quantiles are then within 0.4 % of the true ones. Count, sum and maximum stay exact.
class DurationDigest {
public:
    static constexpr std::size_t kExact = 4096;

    void add(std::int64_t ns); ///< below 0 counts as 0
    std::int64_t count() const { return m_count; }
    std::int64_t sumNs() const { return m_sum; }
    std::int64_t maxNs() const { return m_max; }
    std::int64_t meanNs() const { return m_count > 0 ? m_sum / m_count : 0; }
    /// Returns the smallest value that at least `share` of all values do not exceed; 0 if there are none.
    std::int64_t quantile(double share) const;

private:
    void coarsen();

    std::vector<std::int64_t> m_values;   ///< while they are few
    std::vector<std::uint64_t> m_buckets; ///< afterwards; by bucketOf()
    std::int64_t m_count = 0, m_sum = 0, m_max = 0;
};

} // namespace rankscope::ui
