// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/memory_growth.h"

#include <algorithm>

namespace rankscope::diagnosis {

void MemoryGrowth::add(const MemorySample& memory, const std::vector<std::int64_t>& rankBytes) {
    const std::size_t before = m_trend.samples().size();
    const std::int64_t newestNs = before > 0 ? m_trend.samples().back().atNs : 0;
    m_trend.add(memory);
    if (m_trend.samples().empty() || m_trend.samples().back().atNs == newestNs)
        return; // it was too early for another sample
    for (std::size_t r = 0; r < m_ranks.size() && r < rankBytes.size(); ++r) {
        if (rankBytes[r] < 0)
            continue;
        m_ranks[r].push_back({memory.atNs, rankBytes[r], 0});
        if (m_ranks[r].size() > MemoryTrend::kFewest)
            m_ranks[r].erase(m_ranks[r].begin());
    }
}

std::optional<MemorySample> MemoryGrowth::newest() const {
    return m_trend.samples().empty() ? std::nullopt : std::optional(m_trend.samples().back());
}

double MemoryGrowth::growthOf(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return r < m_ranks.size() ? std::max(0.0, memoryGrowth(m_ranks[r])) : 0;
}

void MemoryGrowth::save(ByteEncoder& out) const {
    m_trend.save(out);
    for (const auto& samples : m_ranks)
        saveSamples(out, samples);
}

bool MemoryGrowth::load(ByteDecoder& in) {
    if (!m_trend.load(in))
        return false;
    for (auto& samples : m_ranks)
        if (!loadSamples(in, samples, MemoryTrend::kFewest))
            return false;
    return in.ok();
}

} // namespace rankscope::diagnosis
