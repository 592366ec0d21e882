// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/read/series_cache.h"
#include "core/store/tables/metrics.h"
#include "core/store/tables/rank_summary.h"
#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::store {

/// Reads the series of metrics, from single steps and from the pyramid.
class SeriesReader {
public:
    explicit SeriesReader(OpenStore& store) : m_store(&store) {}

    /// Returns at most ~2 x maxPoints points that cover steps [first, last]: raw steps if they are few, else the
    /// coarsest level of the pyramid that still gives maxPoints, with its extremes.
    Result<std::vector<SeriesPoint>> series(Metric metric, int rank, std::int64_t first, std::int64_t last,
                                            int maxPoints);
    /// Returns one point for each of `metrics`, in their order, over a rank's steps up to `last`. Reading them together
    /// takes fewer statements than calling series() for each.
    Result<std::vector<SeriesPoint>> overall(std::span<const Metric> metrics, const RankSummary& rank,
                                             std::int64_t last);
    /// The same as series() over a time range, since the run's start.
    Result<std::vector<SeriesPoint>> seriesByTime(Metric metric, int rank, std::int64_t fromNs, std::int64_t toNs,
                                                  int maxPoints);
    /// Returns the steps of all ranks that touch a time range, since the run's start.
    Result<StepInterval> stepsBetween(std::int64_t fromNs, std::int64_t toNs);
    /// Turns on the cache: from now on, points that can no longer change are kept, a few windows' worth of each series.
    void enableSeriesCache() { m_cache.emplace(); }

private:
    Result<void> checkRevision();
    Result<std::vector<SeriesPoint>> read(Metric metric, int rank, std::int64_t first, std::int64_t last,
                                          int maxPoints);

    OpenStore* m_store;
    std::optional<SeriesCache> m_cache;
};

} // namespace rankscope::store
