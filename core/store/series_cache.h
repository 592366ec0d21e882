// SPDX-License-Identifier: Apache-2.0
// Points of series that do not change any more, so that a window which moves with a live run, or is panned, reads what
// is new to it alone.
#pragma once

#include "core/store/pyramid.h"

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope::store {

struct Cover;

class SeriesCache {
public:
    /// Appends the points of these buckets, ascending.
    using Read = std::function<Result<void>(const Cover&, std::vector<SeriesPoint>&)>;
    /// The points of a cover, of which `read` gives what is not here yet; valid until the next call. After an error
    /// nothing of this level is kept. Per rank, series and level one run of neighbours is held, a few covers long.
    Result<std::span<const SeriesPoint>> take(Metric metric, int rank, const Cover& cover, const Read& read);
    /// Another revision of the store than before: what was kept may have changed.
    void revisionIs(std::int64_t revision);

private:
    struct Run {
        std::int64_t first = 0, end = 0; ///< buckets
        std::vector<SeriesPoint> points;
    };
    std::map<std::tuple<Metric, int, int>, Run> m_runs; ///< by series, rank and level
    std::int64_t m_revision = 0;
};

} // namespace rankscope::store
