// SPDX-License-Identifier: Apache-2.0
#include "core/store/series_cache.h"

#include "core/store/reader_impl.h"

#include <algorithm>

namespace rankscope::store {

static constexpr std::int64_t kCoversHeld = 4;
static constexpr std::int64_t kAlwaysHeld = 1024; ///< buckets

/// Where the points of [first, end) lie among those of a level.
static std::span<const SeriesPoint> within(std::span<const SeriesPoint> points, const Cover& cover) {
    const std::int64_t size = bucketSteps(cover.level);
    const auto from = std::ranges::lower_bound(points, cover.first * size, {}, &SeriesPoint::firstStep);
    const auto to = std::ranges::lower_bound(from, points.end(), cover.end * size, {}, &SeriesPoint::firstStep);
    return {from, to};
}

Result<std::span<const SeriesPoint>> SeriesCache::take(Metric metric, int rank, const Cover& cover, const Read& read) {
    const auto at = m_runs.try_emplace({metric, rank, cover.level}).first;
    Run& run = at->second;
    if (run.first == run.end || cover.first > run.end || cover.end < run.first)
        run = {cover.first, cover.first, {}};
    const auto grow = [&](std::int64_t first, std::int64_t end, std::vector<SeriesPoint>& into) {
        auto grown = first < end ? read({cover.level, first, end}, into) : Result<void>{};
        if (!grown)
            m_runs.erase(at);
        return grown;
    };
    std::vector<SeriesPoint> before;
    RS_TRY(grow(cover.first, run.first, before));
    run.points.insert(run.points.begin(), before.begin(), before.end());
    run.first = std::min(run.first, cover.first);
    RS_TRY(grow(run.end, cover.end, run.points));
    run.end = std::max(run.end, cover.end);
    const std::int64_t width = cover.end - cover.first;
    if (run.end - run.first > kCoversHeld * width + kAlwaysHeld) {
        const auto kept = within(run.points, cover);
        run = {cover.first, cover.end, std::vector(kept.begin(), kept.end())};
    }
    return within(run.points, cover);
}

void SeriesCache::revisionIs(std::int64_t revision) {
    if (std::exchange(m_revision, revision) != revision)
        m_runs.clear();
}

} // namespace rankscope::store
