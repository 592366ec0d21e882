// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/duration_digest.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kDigits = 7; ///< after the leading one
constexpr std::int64_t kPerOctave = std::int64_t{1} << kDigits;

std::size_t bucketOf(std::int64_t ns) {
    if (ns < kPerOctave)
        return static_cast<std::size_t>(ns);
    const int shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(ns))) - 1 - kDigits;
    return static_cast<std::size_t>((shift + 1) * kPerOctave + (ns >> shift) - kPerOctave);
}

/// Returns the middle of a bucket.
std::int64_t valueOf(std::size_t bucket) {
    const auto at = static_cast<std::int64_t>(bucket);
    if (at < kPerOctave)
        return at;
    const auto shift = at / kPerOctave - 1;
    return ((at % kPerOctave + kPerOctave) << shift) + (std::int64_t{1} << shift) / 2;
}

} // namespace

void DurationDigest::add(std::int64_t ns) {
    ns = std::max<std::int64_t>(ns, 0);
    ++m_count;
    m_sum += ns;
    m_max = std::max(m_max, ns);
    if (m_buckets.empty()) {
        m_values.push_back(ns);
        if (m_values.size() > kExact)
            coarsen();
        return;
    }
    const std::size_t bucket = bucketOf(ns);
    if (bucket >= m_buckets.size())
        m_buckets.resize(bucket + 1);
    ++m_buckets[bucket];
}

void DurationDigest::coarsen() {
    m_buckets.resize(bucketOf(m_max) + 1);
    for (const std::int64_t ns : m_values)
        ++m_buckets[bucketOf(ns)];
    m_values.clear();
    m_values.shrink_to_fit();
}

std::int64_t DurationDigest::quantile(double share) const {
    if (m_count == 0)
        return 0;
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(m_count) - 1e-9));
    std::int64_t left = std::clamp<std::int64_t>(wanted, 1, m_count);
    if (m_buckets.empty()) {
        auto sorted = m_values;
        const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(left - 1);
        std::nth_element(sorted.begin(), at, sorted.end());
        return *at;
    }
    for (std::size_t bucket = 0; bucket < m_buckets.size(); ++bucket) {
        left -= static_cast<std::int64_t>(m_buckets[bucket]);
        if (left <= 0)
            return std::min(valueOf(bucket), m_max);
    }
    return m_max;
}

} // namespace rankscope::ui
