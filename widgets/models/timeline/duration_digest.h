// SPDX-License-Identifier: GPL-3.0-or-later
// Count, sum, maximum and quantiles of durations, in bounded memory. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::ui {

/// Keeps each value of up to kExact of them, so that quantiles are exact. Of more, a value is kept as its first eight
/// binary digits: a quantile is then within 0.4 % of the true one. Count, sum and maximum stay exact.
class DurationDigest {
public:
    static constexpr std::size_t kExact = 4096;

    void add(std::int64_t ns); ///< below 0 counts as 0
    std::int64_t count() const { return m_count; }
    std::int64_t sumNs() const { return m_sum; }
    std::int64_t maxNs() const { return m_max; }
    std::int64_t meanNs() const { return m_count > 0 ? m_sum / m_count : 0; }
    /// The smallest value that at least `share` of all are no larger than; 0 of none.
    std::int64_t quantile(double share) const;

private:
    void coarsen();

    std::vector<std::int64_t> m_values;   ///< while they are few
    std::vector<std::uint64_t> m_buckets; ///< afterwards; by bucketOf()
    std::int64_t m_count = 0, m_sum = 0, m_max = 0;
};

} // namespace rankscope::ui
