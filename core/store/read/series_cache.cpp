// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/series_cache.h"

#include "core/base/values/clock.h"

#include <algorithm>

namespace rankscope::store {

static constexpr std::int64_t kSweepNs = 1'000'000'000, kUnusedNs = 10'000'000'000;
static constexpr std::int64_t kAlwaysHeld = 256; ///< groups in addition to the requested ones

/// Returns the points of groups [first, end).
static std::span<const SeriesPoint> within(std::span<const SeriesPoint> points, std::int64_t groupSteps,
                                           std::int64_t first, std::int64_t end) {
    const auto from = std::ranges::lower_bound(points, first * groupSteps, {}, &SeriesPoint::firstStep);
    const auto to = std::ranges::lower_bound(from, points.end(), end * groupSteps, {}, &SeriesPoint::firstStep);
    return {from, to};
}

/// Drops resolutions that are no longer requested.
void SeriesCache::dropUnused(std::int64_t nowNs) {
    if (nowNs - m_sweptNs < kSweepNs)
        return;
    m_sweptNs = nowNs;
    std::erase_if(m_runs, [&](const auto& entry) { return nowNs - entry.second.usedNs > kUnusedNs; });
}

/// Grows a few points at a time: a vector's default growth would reserve twice the memory.
Result<void> SeriesCache::append(Run& run, std::int64_t end, const ReadPoints& read) {
    if (end <= run.end)
        return {};
    const std::size_t wanted = run.points.size() + static_cast<std::size_t>(end - run.end);
    if (wanted > run.points.capacity())
        run.points.reserve(wanted + wanted / 8);
    return read(run.end, end, run.points);
}

Result<std::span<const SeriesPoint>> SeriesCache::take(const SeriesKey& key, std::int64_t first, std::int64_t end,
                                                       const ReadPoints& read) {
    const std::int64_t nowNs = monotonicNs();
    dropUnused(nowNs);
    const auto at = m_runs.try_emplace(key).first;
    Run& run = at->second;
    run.usedNs = nowNs;
    if (run.first == run.end || first > run.end || end < run.first)
        run = {first, first, {}, nowNs};
    std::vector<SeriesPoint> before;
    auto grown = first < run.first ? read(first, run.first, before) : Result<void>{};
    if (grown)
        grown = append(run, end, read);
    if (!grown) {
        m_runs.erase(at);
        return tl::unexpected(grown.error());
    }
    run.points.insert(run.points.begin(), before.begin(), before.end());
    run.first = std::min(run.first, first);
    run.end = std::max(run.end, end);
    if (run.end - run.first > (end - first) * 3 / 2 + kAlwaysHeld) {
        const auto kept = within(run.points, key.groupSteps, first, end);
        run = {first, end, std::vector(kept.begin(), kept.end()), nowNs};
    }
    return within(run.points, key.groupSteps, first, end);
}

void SeriesCache::revisionIs(std::int64_t revision) {
    if (std::exchange(m_revision, revision) != revision)
        m_runs.clear();
}

} // namespace rankscope::store
