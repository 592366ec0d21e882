// SPDX-License-Identifier: Apache-2.0
// Points of series that do not change any more, so that a window which moves with a live run, or is panned, reads what
// is new to it alone.
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
    /// A series of a rank at one resolution: each point stands for the steps of a group of this size.
    struct Key {
        Metric metric{};
        int rank = 0;
        std::int64_t groupSteps = 1;
        auto operator<=>(const Key&) const = default;
    };
    /// Appends the points of groups [first, end), ascending.
    using Read = std::function<Result<void>(std::int64_t first, std::int64_t end, std::vector<SeriesPoint>& into)>;
    /// The points of groups [first, end), of which `read` gives what is not here yet; valid until the next call. After
    /// an error nothing of the key is kept. Held is one run of neighbours of each key, little longer than what was
    /// asked for last; no key that nobody asked for in the last ten seconds.
    Result<std::span<const SeriesPoint>> take(const Key& key, std::int64_t first, std::int64_t end, const Read& read);
    /// Another revision of the store than before: what was kept may have changed.
    void revisionIs(std::int64_t revision);

private:
    struct Run {
        std::int64_t first = 0, end = 0; ///< groups
        std::vector<SeriesPoint> points;
        std::int64_t usedNs = 0;
    };
    void dropUnused(std::int64_t nowNs);
    static Result<void> append(Run& run, std::int64_t end, const Read& read);

    std::map<Key, Run> m_runs;
    std::int64_t m_sweptNs = 0, m_revision = 0;
};

} // namespace rankscope::store
