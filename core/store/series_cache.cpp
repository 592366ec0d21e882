// SPDX-License-Identifier: Apache-2.0
#include "core/store/series_cache.h"

#include <algorithm>

namespace rankscope::store {

static constexpr std::int64_t kAlwaysHeld = 256; ///< groups beside those that were asked for

/// The points of groups [first, end).
static std::span<const SeriesPoint> within(std::span<const SeriesPoint> points, std::int64_t groupSteps,
                                           std::int64_t first, std::int64_t end) {
    const auto from = std::ranges::lower_bound(points, first * groupSteps, {}, &SeriesPoint::firstStep);
    const auto to = std::ranges::lower_bound(from, points.end(), end * groupSteps, {}, &SeriesPoint::firstStep);
    return {from, to};
}

/// Of the same series all but this resolution and the one that was used last before it.
void SeriesCache::dropOthers(const Key& key) {
    const auto ofSeries = [&](const auto& entry) {
        return entry.first.metric == key.metric && entry.first.rank == key.rank && entry.first != key;
    };
    std::uint64_t newest = 0;
    for (const auto& entry : m_runs)
        if (ofSeries(entry))
            newest = std::max(newest, entry.second.used);
    std::erase_if(m_runs, [&](const auto& entry) { return ofSeries(entry) && entry.second.used < newest; });
}

Result<std::span<const SeriesPoint>> SeriesCache::take(const Key& key, std::int64_t first, std::int64_t end,
                                                       const Read& read) {
    const auto [at, isNew] = m_runs.try_emplace(key);
    if (isNew)
        dropOthers(key);
    Run& run = at->second;
    run.used = ++m_uses;
    if (run.first == run.end || first > run.end || end < run.first)
        run = {first, first, {}, run.used};
    const auto grow = [&](std::int64_t from, std::int64_t to, std::vector<SeriesPoint>& into) {
        return from < to ? read(from, to, into) : Result<void>{};
    };
    std::vector<SeriesPoint> before;
    auto grown = grow(first, run.first, before);
    if (grown)
        grown = grow(run.end, end, run.points);
    if (!grown) {
        m_runs.erase(at);
        return tl::unexpected(grown.error());
    }
    run.points.insert(run.points.begin(), before.begin(), before.end());
    run.first = std::min(run.first, first);
    run.end = std::max(run.end, end);
    if (run.end - run.first > (end - first) * 3 / 2 + kAlwaysHeld) {
        const auto kept = within(run.points, key.groupSteps, first, end);
        run = {first, end, std::vector(kept.begin(), kept.end()), run.used};
    }
    return within(run.points, key.groupSteps, first, end);
}

void SeriesCache::revisionIs(std::int64_t revision) {
    if (std::exchange(m_revision, revision) != revision)
        m_runs.clear();
}

} // namespace rankscope::store
