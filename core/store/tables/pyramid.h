// SPDX-License-Identifier: Apache-2.0
// In addition to the raw steps, the store has a min/max/mean pyramid per rank and metric: bucket b of level l covers
// the steps [b x 16^l, (b + 1) x 16^l). A bucket is written once, as a whole, when its steps can no longer change.
#pragma once

#include "core/store/sqlite/bulk_insert.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/metrics.h"
#include "core/telemetry/format/limits.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace rankscope::store {

inline constexpr std::int64_t kFanOut = 16;
inline constexpr int kTopLevel = 9;
using telemetry::kMaxStep;
using telemetry::kMostNs;

constexpr std::int64_t bucketSteps(int level) {
    return std::int64_t{1} << (4 * level);
}

/// Returns a point for one step.
SeriesPoint pointOf(std::int64_t step, std::int64_t beginNs, std::int64_t endNs, double value, bool finite);
/// Merges `part` into `whole`. A `whole` without steps (firstStep > lastStep) is empty.
void merge(SeriesPoint& whole, const SeriesPoint& part);
SeriesPoint emptyPoint();

/// Steps [first, end) as whole buckets of one level.
struct BucketRun {
    int level = 0;
    std::int64_t first = 0, end = 0; ///< buckets
};
/// Covers steps [first, end) by the largest buckets up to `level` that are inside it and end before `closedEnd`, and by
/// smaller ones at its edges, ascending.
std::vector<BucketRun> coverSteps(std::int64_t first, std::int64_t end, int level, std::int64_t closedEnd);

/// Writes the pyramid of one store.
class PyramidWriter {
public:
    Result<void> prepare(const Database& db);
    /// Writes the buckets that end in steps (done, final] of a rank, after these have become final.
    Result<void> carry(int rank, std::int64_t done, std::int64_t final);
    /// Rewrites the existing buckets of a final step that has changed after all.
    Result<void> redo(int rank, std::int64_t step, std::int64_t final);

private:
    Result<void> fromSteps(int rank, std::int64_t firstBucket, std::int64_t endBucket);
    Result<void> fromLevelBelow(int rank, int level, std::int64_t firstBucket, std::int64_t endBucket);
    Result<void> write(int rank, int level);

    struct Bucket {
        Metric metric;
        std::int64_t bucket = 0;
        SeriesPoint point;
    };
    std::vector<Bucket> m_ready; ///< of one rank and level, still to be written
    Statement m_steps, m_below;
    BulkInsert m_insert;
};

/// Reads columns (first_step, last_step, begin_ns, end_ns, count, not_finite, min, max, mean) from `column` on.
SeriesPoint readPoint(const Statement& row, int column);
/// Returns false if this program cannot have written the point.
bool isPossible(const SeriesPoint& point);

} // namespace rankscope::store
