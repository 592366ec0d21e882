// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/series_reader.h"

#include "core/store/tables/pyramid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::store {

namespace {

constexpr int kMostTries = 100; ///< to find something readable after damage

struct RankRange {
    std::int64_t first = 0, last = -1; ///< steps that have a row
    std::int64_t finalStep = -1;
};

/// The level to read and how many adjacent points to merge, for at most 2 x maxPoints points.
struct Resolution {
    int level = 0;
    std::int64_t merged = 1;

    std::int64_t steps() const { return bucketSteps(level) * merged; }
};

Resolution grainFor(std::int64_t steps, std::int64_t maxPoints) {
    Resolution grain;
    if (steps <= 2 * maxPoints)
        return grain;
    while (grain.level < kTopLevel && steps / bucketSteps(grain.level + 1) >= maxPoints)
        ++grain.level;
    const std::int64_t buckets = steps / bucketSteps(grain.level) + 1;
    grain.merged = (buckets + 2 * maxPoints - 1) / (2 * maxPoints);
    return grain;
}

/// Merges points into groups that begin at multiples of the grain, so that they do not change while the view moves.
class PointMerger {
public:
    explicit PointMerger(Resolution grain) : m_steps(grain.steps()) {}
    void take(const SeriesPoint& point) {
        m_next = std::max(m_next, point.lastStep + 1);
        const std::int64_t group = point.firstStep / m_steps;
        if (m_points.empty() || group != m_group)
            m_points.push_back(emptyPoint());
        m_group = group;
        merge(m_points.back(), point);
    }
    std::int64_t next() const { return m_next; } ///< the step after all points taken so far
    std::vector<SeriesPoint> points() { return std::move(m_points); }

private:
    std::int64_t m_steps, m_group = -1, m_next = 0;
    std::vector<SeriesPoint> m_points;
};

Result<RankRange> rangeOf(OpenStore& store, int rank) {
    RankRange range, said;
    RS_TRY(store.eachReadable(
        "rank", "SELECT first_step, last_step, final_step FROM rank WHERE rank=?1",
        [&](const Statement& row) {
            said = {std::max<std::int64_t>(0, stepIn(row, 0)), stepIn(row, 1), stepIn(row, 2)};
        },
        rank));
    bool whole = false;
    RS_TRY(store.eachReadable(
        "step", "SELECT (SELECT min(step) FROM step WHERE rank=?1), (SELECT max(step) FROM step WHERE rank=?1)",
        [&](const Statement& row) {
            whole = row.isNull(1) || (row.integer(0) >= 0 && row.integer(1) <= kMaxStep);
            if (!whole)
                store.recordImpossible("step");
            if (!row.isNull(0))
                range = {std::max<std::int64_t>(0, stepIn(row, 0)), stepIn(row, 1), said.finalStep};
        },
        rank));
    return whole ? range : said; // its first or last steps are damaged
}

/// Parameters: rank, metric, level, first bucket and end.
constexpr std::string_view kSelectBuckets = "SELECT first_step, last_step, begin_ns, end_ns, count, not_finite, min, "
                                            "max, mean FROM pyramid WHERE rank=?1 AND metric=?2 AND level=?3 AND "
                                            "bucket>=?4 AND bucket<?5 ORDER BY bucket";

/// Returns the statement that reads these metrics of single steps. Parameters: rank, first step, end and final step.
std::string selectSteps(std::span<const Metric> metrics) {
    std::string columns;
    for (const Metric metric : metrics)
        columns += std::string(", ") + info(metric).column;
    return fmt::format("SELECT step, begin_ns, end_ns, not_finite{} FROM step WHERE rank=?1 AND step>=?2 AND step<?3 "
                       "AND (complete OR step<=?4) ORDER BY step",
                       columns);
}

/// Calls take(index, point) for each of the metrics in a row of selectSteps() that has a value.
template <class Take> void eachPoint(const Statement& row, std::span<const Metric> metrics, const Take& take) {
    const std::int64_t step = row.integer(0), beginNs = row.integer(1), endNs = row.integer(2);
    const std::int64_t notFinite = row.integer(3);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const double value = row.number(4 + static_cast<int>(i));
        const bool bad = (notFinite >> static_cast<int>(metrics[i]) & 1) != 0;
        if (bad || !row.isNull(4 + static_cast<int>(i)))
            take(i, pointOf(step, beginNs, endNs, value, !bad && !std::isnan(value)));
    }
}

/// Reads points of one series of a rank at one grain, ascending.
class PointReader {
public:
    PointReader(OpenStore& store, Metric metric, int rank, std::int64_t finalStep, Resolution grain)
        : m_store(store), m_metric(metric), m_rank(rank), m_finalStep(finalStep), m_grain(grain), m_merger(grain) {}

    /// Reads steps [first, end), as far as they can be read. Steps up to `finalEnd` are final.
    Result<void> read(std::int64_t first, std::int64_t end, std::int64_t finalEnd);
    /// The same, but only up to the first damage.
    Result<void> readWhole(std::int64_t first, std::int64_t end, int level);
    /// Reads groups [from, to) of final steps, which no longer change; those in the cache are not read again.
    Result<void> readGroups(SeriesCache& cache, std::int64_t from, std::int64_t to);
    std::vector<SeriesPoint> points() { return m_merger.points(); }

private:
    void take(const char* table, std::int64_t first, std::int64_t end, const SeriesPoint& point);
    Result<void> readSteps(const BucketRun& cover);
    Result<void> readBuckets(const BucketRun& cover);
    Result<void> readCover(const BucketRun& cover) { return cover.level == 0 ? readSteps(cover) : readBuckets(cover); }
    Result<void> readAround(std::int64_t from, std::int64_t end, int level);

    OpenStore& m_store;
    Metric m_metric;
    int m_rank;
    std::int64_t m_finalStep;
    Resolution m_grain;
    PointMerger m_merger;
};

/// Accepts a point only in its place and after the previous one; otherwise a damaged file could cause a loop.
void PointReader::take(const char* table, std::int64_t first, std::int64_t end, const SeriesPoint& point) {
    if (isPossible(point) && point.firstStep >= std::max(first, m_merger.next()) && point.lastStep < end)
        m_merger.take(point);
    else
        m_store.recordImpossible(table);
}

Result<void> PointReader::readSteps(const BucketRun& cover) {
    return m_store.each(
        selectSteps({&m_metric, 1}),
        [&](const Statement& row) {
            eachPoint(row, {&m_metric, 1},
                      [&](std::size_t, const SeriesPoint& point) { take("step", cover.first, cover.end, point); });
        },
        m_rank, cover.first, cover.end, m_finalStep);
}

Result<void> PointReader::readBuckets(const BucketRun& cover) {
    const std::int64_t size = bucketSteps(cover.level);
    return m_store.each(
        kSelectBuckets,
        [&](const Statement& row) { take("pyramid", cover.first * size, cover.end * size, readPoint(row, 0)); }, m_rank,
        m_metric, cover.level, cover.first, cover.end);
}

Result<void> PointReader::readWhole(std::int64_t first, std::int64_t end, int level) {
    for (const BucketRun& cover : coverSteps(first, end, level, end))
        RS_TRY(readCover(cover));
    return {};
}

/// Reads after an unreadable page: first from the level below, then from increasing distances.
Result<void> PointReader::readAround(std::int64_t from, std::int64_t end, int level) {
    int tries = 0;
    for (std::int64_t gap = 0; from + gap < end && tries < kMostTries; ++tries) {
        from = std::max(from + gap, m_merger.next());
        const Result<void> read = readWhole(from, end, level);
        if (read)
            return {};
        RS_TRY(m_store.recordDamage(level == 0 ? "step" : "pyramid", read.error()));
        if (level > 0)
            return readAround(std::max(from, m_merger.next()), end, level - 1);
        gap = m_merger.next() > from ? 1 : std::max<std::int64_t>(1, 2 * gap);
    }
    return {};
}

Result<void> PointReader::read(std::int64_t first, std::int64_t end, std::int64_t finalEnd) {
    for (const BucketRun& cover : coverSteps(first, end, m_grain.level, finalEnd)) {
        const auto read = readCover(cover);
        if (read)
            continue;
        RS_TRY(m_store.recordDamage(cover.level == 0 ? "step" : "pyramid", read.error()));
        const std::int64_t size = bucketSteps(cover.level);
        RS_TRY(readAround(std::max(cover.first * size, m_merger.next()), cover.end * size, cover.level));
    }
    return {};
}

Result<void> PointReader::readGroups(SeriesCache& cache, std::int64_t first, std::int64_t end) {
    const std::int64_t size = m_grain.steps();
    const auto points =
        cache.take({m_metric, m_rank, size}, first, end,
                   [&](std::int64_t from, std::int64_t to, std::vector<SeriesPoint>& into) -> Result<void> {
                       PointReader part(m_store, m_metric, m_rank, m_finalStep, m_grain);
                       RS_TRY(part.readWhole(from * size, to * size, m_grain.level));
                       const auto read = part.points();
                       into.insert(into.end(), read.begin(), read.end());
                       return {};
                   });
    if (!points) // including the points after the damage
        return read(first * size, end * size, end * size);
    for (const SeriesPoint& point : *points)
        m_merger.take(point);
    return {};
}

/// Merges whole series of a rank into one point each.
class SeriesMerger {
public:
    SeriesMerger(OpenStore& store, std::span<const Metric> metrics, const RankSummary& rank)
        : m_store(store), m_metrics(metrics), m_rank(rank), m_points(metrics.size(), emptyPoint()) {}

    Result<void> read(const BucketRun& cover);
    /// Returns false if there were values that this program cannot have written.
    bool possible() const { return m_possible; }
    std::vector<SeriesPoint> points() { return std::move(m_points); }

private:
    void take(std::size_t index, const SeriesPoint& point, std::int64_t first, std::int64_t end);

    OpenStore& m_store;
    std::span<const Metric> m_metrics;
    const RankSummary& m_rank;
    std::vector<SeriesPoint> m_points;
    bool m_possible = true;
};

void SeriesMerger::take(std::size_t index, const SeriesPoint& point, std::int64_t first, std::int64_t end) {
    SeriesPoint& whole = m_points[index];
    if (isPossible(point) && point.firstStep >= std::max(first, whole.lastStep + 1) && point.lastStep < end)
        merge(whole, point);
    else
        m_possible = false;
}

Result<void> SeriesMerger::read(const BucketRun& cover) {
    if (cover.level == 0)
        return m_store.each(
            selectSteps(m_metrics),
            [&](const Statement& row) {
                eachPoint(row, m_metrics,
                          [&](std::size_t i, const SeriesPoint& point) { take(i, point, cover.first, cover.end); });
            },
            m_rank.rank, cover.first, cover.end, m_rank.finalStep);
    const std::int64_t size = bucketSteps(cover.level);
    for (std::size_t i = 0; i < m_metrics.size(); ++i)
        RS_TRY(m_store.each(
            kSelectBuckets,
            [&](const Statement& row) { take(i, readPoint(row, 0), cover.first * size, cover.end * size); },
            m_rank.rank, m_metrics[i], cover.level, cover.first, cover.end));
    return {};
}

} // namespace

/// Empties the cache if late records have changed steps that were final.
Result<void> SeriesReader::checkRevision() {
    if (!m_cache || m_store->isViewed())
        return {};
    std::int64_t revision = 0;
    RS_TRY(m_store->eachReadable("counter", "SELECT sum(value) FROM counter WHERE name='revised_groups'",
                                 [&](const Statement& row) { revision = row.integer(0); }));
    m_cache->revisionIs(revision);
    return {};
}

/// Call it inside a transaction.
Result<std::vector<SeriesPoint>> SeriesReader::read(Metric metric, int rank, std::int64_t first, std::int64_t last,
                                                    int maxPoints) {
    RS_TRY_ASSIGN(const auto range, rangeOf(*m_store, rank));
    first = std::max(first, range.first);
    last = std::min(last, range.last);
    if (metric >= Metric::Count || first > last)
        return std::vector<SeriesPoint>{};
    RS_TRY(checkRevision());
    const Resolution grain = grainFor(last - first + 1, std::max(maxPoints, 1));
    const std::int64_t end = last + 1, finalEnd = range.finalStep + 1, size = grain.steps();
    const std::int64_t from = (first + size - 1) / size, to = std::min(end, finalEnd) / size;
    PointReader reader(*m_store, metric, rank, range.finalStep, grain);
    if (!m_cache || from >= to) {
        RS_TRY(reader.read(first, end, finalEnd));
        return reader.points();
    }
    RS_TRY(reader.read(first, from * size, finalEnd));
    RS_TRY(reader.readGroups(*m_cache, from, to));
    RS_TRY(reader.read(to * size, end, finalEnd));
    return reader.points();
}

Result<std::vector<SeriesPoint>> SeriesReader::series(Metric metric, int rank, std::int64_t first, std::int64_t last,
                                                      int maxPoints) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    return read(metric, rank, first, last, maxPoints);
}

/// Returns no points if anything is damaged.
static std::optional<std::vector<SeriesPoint>> mergedSeries(OpenStore& store, std::span<const Metric> metrics,
                                                            const RankSummary& rank, StepInterval steps) {
    const Resolution grain = grainFor(steps.count(), 1);
    SeriesMerger merger(store, metrics, rank);
    for (const BucketRun& cover : coverSteps(steps.first, steps.last + 1, grain.level, rank.finalStep + 1))
        if (!merger.read(cover) || !merger.possible())
            return std::nullopt;
    return merger.points();
}

Result<std::vector<SeriesPoint>> SeriesReader::overall(std::span<const Metric> metrics, const RankSummary& rank,
                                                       std::int64_t last) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    const StepInterval steps{std::max<std::int64_t>(0, rank.firstStep), std::min(last, rank.lastStep)};
    if (auto merged = mergedSeries(*m_store, metrics, rank, steps))
        return std::move(*merged);
    std::vector<SeriesPoint> points(metrics.size(), emptyPoint());
    for (std::size_t i = 0; i < metrics.size(); ++i) { // one by one, to get the points around the damage
        RS_TRY_ASSIGN(const auto readable, read(metrics[i], rank.rank, steps.first, steps.last, 1));
        for (const SeriesPoint& point : readable)
            merge(points[i], point);
    }
    return points;
}

/// Returns the first step of a rank, at or after range.first, whose `column` is >= atNs; range.last + 1 if there is
/// none. Steps are ordered in time, so a binary search finds it.
static Result<std::int64_t> firstStepAt(OpenStore& store, int rank, RankRange range, std::string_view column,
                                        std::int64_t atNs) {
    RS_TRY_ASSIGN(auto* rows,
                  store.statement(fmt::format(
                      "SELECT step, {} FROM step WHERE rank=?1 AND step>=?2 ORDER BY step LIMIT 1", column)));
    std::int64_t low = range.first, high = range.last + 1;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        std::int64_t step = high, timeNs = atNs;
        RS_TRY(forEach(rows->bind(1, rank).bind(2, middle), [&](const Statement& row) {
            step = std::clamp(row.integer(0), middle, high - 1);
            timeNs = row.integer(1);
        }));
        if (timeNs >= atNs)
            high = middle;
        else
            low = step + 1;
    }
    return low;
}

/// Returns the steps of a rank that touch [fromNs, toNs].
static Result<StepInterval> stepsOf(OpenStore& store, int rank, RankRange range, std::int64_t fromNs,
                                    std::int64_t toNs) {
    if (fromNs > toNs || range.first > range.last)
        return StepInterval{};
    RS_TRY_ASSIGN(const auto first, firstStepAt(store, rank, range, "end_ns", fromNs));
    if (toNs == INT64_MAX)
        return StepInterval{first, range.last};
    RS_TRY_ASSIGN(const auto after, firstStepAt(store, rank, range, "begin_ns", toNs + 1));
    return StepInterval{first, after - 1};
}

Result<StepInterval> SeriesReader::stepsBetween(std::int64_t fromNs, std::int64_t toNs) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    StepInterval all;
    for (int rank = 0; rank < m_store->meta().worldSize; ++rank) {
        RS_TRY_ASSIGN(auto range, rangeOf(*m_store, rank));
        RS_TRY_ASSIGN(const auto steps, stepsOf(*m_store, rank, range, fromNs, toNs));
        if (steps.count() > 0)
            all = all.count() == 0 ? steps
                                   : StepInterval{std::min(all.first, steps.first), std::max(all.last, steps.last)};
    }
    return all;
}

Result<std::vector<SeriesPoint>> SeriesReader::seriesByTime(Metric metric, int rank, std::int64_t fromNs,
                                                            std::int64_t toNs, int maxPoints) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    RS_TRY_ASSIGN(auto range, rangeOf(*m_store, rank));
    RS_TRY_ASSIGN(auto steps, stepsOf(*m_store, rank, range, fromNs, toNs));
    if (steps.count() == 0)
        return std::vector<SeriesPoint>{};
    return read(metric, rank, steps.first, steps.last, maxPoints);
}

} // namespace rankscope::store
