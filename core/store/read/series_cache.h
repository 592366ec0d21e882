// SPDX-License-Identifier: Apache-2.0
// Keeps points of series that no longer change, so that a window that follows a live run, or is panned, reads only the
// points it does not have yet.
#pragma once

#include "core/store/tables/pyramid.h"

#include <compare>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::store {

class SeriesCache {
public:
    /// A series of a rank at one resolution: each point covers a group of this many steps.
    struct SeriesKey {
        Metric metric{};
        int rank = 0;
        std::int64_t groupSteps = 1;
        auto operator<=>(const SeriesKey&) const = default; // NOLINT(modernize-use-nullptr): none is written here
    };
    /// Appends the points of groups [first, end), ascending.
    using ReadPoints =
        std::function<Result<void>(std::int64_t first, std::int64_t end, std::vector<SeriesPoint>& into)>;
    /// Returns the points of groups [first, end), valid until the next call; `read` reads those that are not cached.
    /// After an error no points of the key are kept. The cache holds one contiguous range per key, a little longer
    /// than the last request, and drops keys that were not requested in the last ten seconds.
    Result<std::span<const SeriesPoint>> take(const SeriesKey& key, std::int64_t first, std::int64_t end,
                                              const ReadPoints& read);
    /// Drops everything when the revision of the store differs from the last one.
    void revisionIs(std::int64_t revision);

private:
    struct Run {
        std::int64_t first = 0, end = 0; ///< groups
        std::vector<SeriesPoint> points;
        std::int64_t usedNs = 0;
    };
    void dropUnused(std::int64_t nowNs);
    static Result<void> append(Run& run, std::int64_t end, const ReadPoints& read);

    std::map<SeriesKey, Run> m_runs;
    std::int64_t m_sweptNs = 0, m_revision = 0;
};

} // namespace rankscope::store
