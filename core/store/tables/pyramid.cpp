// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/pyramid.h"

#include "core/base/values/result.h"

#include <algorithm>
#include <array>

namespace rankscope::store {

static constexpr int kColumns = 13; ///< of table pyramid
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

SeriesPoint emptyPoint() {
    SeriesPoint point;
    point.firstStep = 0;
    point.lastStep = -1;
    point.min = point.max = point.mean = kNaN;
    return point;
}

SeriesPoint pointOf(std::int64_t step, std::int64_t beginNs, std::int64_t endNs, double value, bool finite) {
    SeriesPoint point{step, step, beginNs, endNs, 1, 0, value, value, value};
    if (!finite) {
        point.count = 0;
        point.notFinite = 1;
        point.min = point.max = point.mean = kNaN;
    }
    return point;
}

void merge(SeriesPoint& whole, const SeriesPoint& part) {
    if (whole.firstStep > whole.lastStep) {
        whole = part;
        return;
    }
    whole.firstStep = std::min(whole.firstStep, part.firstStep);
    whole.lastStep = std::max(whole.lastStep, part.lastStep);
    whole.beginNs = std::min(whole.beginNs, part.beginNs);
    whole.endNs = std::max(whole.endNs, part.endNs);
    whole.notFinite += part.notFinite;
    if (part.count == 0)
        return;
    if (whole.count == 0) {
        whole.min = part.min, whole.max = part.max, whole.mean = part.mean;
    } else {
        whole.min = std::min(whole.min, part.min);
        whole.max = std::max(whole.max, part.max);
        // not by sums, which overflow before the mean does
        const double share = static_cast<double>(part.count) / static_cast<double>(whole.count + part.count);
        whole.mean = whole.mean * (1 - share) + part.mean * share;
    }
    whole.count += part.count;
}

SeriesPoint readPoint(const Statement& row, int column) {
    SeriesPoint point;
    point.firstStep = row.integer(column);
    point.lastStep = row.integer(column + 1);
    point.beginNs = row.integer(column + 2);
    point.endNs = row.integer(column + 3);
    point.count = row.integer(column + 4);
    point.notFinite = row.integer(column + 5);
    point.min = row.number(column + 6);
    point.max = row.number(column + 7);
    point.mean = row.number(column + 8);
    return point;
}

bool isPossible(const SeriesPoint& p) {
    const auto small = [](std::int64_t ns) { return ns >= -kMostNs && ns <= kMostNs; };
    return p.firstStep >= 0 && p.lastStep >= p.firstStep && p.lastStep <= kMaxStep && small(p.beginNs) &&
           small(p.endNs) && p.count >= 0 && p.count <= kMaxStep && p.notFinite >= 0 && p.notFinite <= kMaxStep &&
           (p.count == 0 || p.min <= p.max);
}

Result<void> PyramidWriter::prepare(const Database& db) {
    std::string columns;
    for (const MetricInfo& metric : metrics())
        columns += std::string(", ") + metric.column;
    RS_TRY_ASSIGN(m_steps, db.prepare("SELECT step, begin_ns, end_ns, not_finite" + columns +
                                      " FROM step WHERE rank=?1 AND step>=?2 AND step<?3 ORDER BY step"));
    RS_TRY_ASSIGN(
        m_below, db.prepare("SELECT bucket, first_step, last_step, begin_ns, end_ns, count, not_finite, min, max, mean "
                            "FROM pyramid WHERE rank=?1 AND metric=?2 AND level=?3 AND bucket>=?4 AND bucket<?5 "
                            "ORDER BY bucket"));
    return m_insert.prepareUpsert(db, "pyramid", kColumns,
                                  "ON CONFLICT DO UPDATE SET first_step=excluded.first_step, "
                                  "last_step=excluded.last_step, begin_ns=excluded.begin_ns, end_ns=excluded.end_ns, "
                                  "count=excluded.count, not_finite=excluded.not_finite, min=excluded.min, "
                                  "max=excluded.max, mean=excluded.mean");
}

Result<void> PyramidWriter::write(int rank, int level) {
    std::sort(m_ready.begin(), m_ready.end(), [](const Bucket& a, const Bucket& b) {
        return std::pair(a.metric, a.bucket) < std::pair(b.metric, b.bucket);
    });
    const auto bind = [&](Statement& s, int at, std::size_t i) {
        const auto& [metric, bucket, point] = m_ready[i];
        s.bindFrom(at, rank, metric, level, bucket, point.firstStep, point.lastStep, point.beginNs, point.endNs,
                   point.count, point.notFinite, point.min, point.max, point.mean);
    };
    auto written = m_insert.run(m_ready.size(), bind, [](std::size_t) {});
    m_ready.clear();
    return written;
}

Result<void> PyramidWriter::fromSteps(int rank, std::int64_t firstBucket, std::int64_t endBucket) {
    constexpr std::size_t kCount = static_cast<std::size_t>(Metric::Count);
    std::array<SeriesPoint, kCount> points;
    points.fill(emptyPoint());
    std::int64_t bucket = firstBucket;
    auto flush = [&] {
        for (std::size_t i = 0; i < kCount; ++i)
            if (points[i].firstStep <= points[i].lastStep)
                m_ready.push_back({static_cast<Metric>(i), bucket, points[i]});
        points.fill(emptyPoint());
    };
    m_ready.clear();
    m_steps.bindAll(rank, firstBucket * kFanOut, endBucket * kFanOut);
    RS_TRY(forEach(m_steps, [&](const Statement& row) {
        const std::int64_t step = row.integer(0);
        if (step / kFanOut != bucket) {
            flush();
            bucket = step / kFanOut;
        }
        const std::int64_t notFinite = row.integer(3);
        for (std::size_t i = 0; i < kCount; ++i) {
            const int column = static_cast<int>(i) + 4;
            const bool bad = (notFinite >> i & 1) != 0;
            if (bad || !row.isNull(column))
                merge(points[i], pointOf(step, row.integer(1), row.integer(2), row.real(column), !bad));
        }
    }));
    flush();
    return write(rank, 1);
}

Result<void> PyramidWriter::fromLevelBelow(int rank, int level, std::int64_t firstBucket, std::int64_t endBucket) {
    m_ready.clear();
    for (const MetricInfo& metric : metrics()) {
        SeriesPoint point = emptyPoint();
        std::int64_t bucket = firstBucket;
        m_below.bindAll(rank, metric.metric, level - 1, firstBucket * kFanOut, endBucket * kFanOut);
        for (;;) {
            RS_TRY_ASSIGN(const bool row, m_below.step());
            const bool ends = !row || m_below.integer(0) / kFanOut != bucket;
            if (ends && point.firstStep <= point.lastStep)
                m_ready.push_back({metric.metric, bucket, point});
            if (!row)
                break;
            if (ends) {
                point = emptyPoint();
                bucket = m_below.integer(0) / kFanOut;
            }
            merge(point, readPoint(m_below, 1));
        }
    }
    return write(rank, level);
}

Result<void> PyramidWriter::carry(int rank, std::int64_t done, std::int64_t final) {
    for (int level = 1; level <= kTopLevel; ++level) {
        const std::int64_t first = (done + 1) / bucketSteps(level), end = (final + 1) / bucketSteps(level);
        if (first >= end)
            return {}; // no bucket of this level ends here, so none above does
        RS_TRY(level == 1 ? fromSteps(rank, first, end) : fromLevelBelow(rank, level, first, end));
    }
    return {};
}

Result<void> PyramidWriter::redo(int rank, std::int64_t step, std::int64_t final) {
    for (int level = 1; level <= kTopLevel; ++level) {
        const std::int64_t bucket = step / bucketSteps(level);
        if ((bucket + 1) * bucketSteps(level) > final + 1)
            return {};
        RS_TRY(level == 1 ? fromSteps(rank, bucket, bucket + 1) : fromLevelBelow(rank, level, bucket, bucket + 1));
    }
    return {};
}

std::vector<BucketRun> coverSteps(std::int64_t first, std::int64_t end, int level, std::int64_t closedEnd) {
    if (first >= end)
        return {};
    if (level == 0)
        return {{0, first, end}};
    const std::int64_t size = bucketSteps(level);
    const std::int64_t from = (first + size - 1) / size, to = std::min(end, closedEnd) / size;
    if (from >= to)
        return coverSteps(first, end, level - 1, closedEnd);
    auto covers = coverSteps(first, from * size, level - 1, closedEnd);
    covers.push_back({level, from, to});
    const auto right = coverSteps(to * size, end, level - 1, closedEnd);
    covers.insert(covers.end(), right.begin(), right.end());
    return covers;
}

} // namespace rankscope::store
