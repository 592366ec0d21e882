// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/result.h"
#include "core/store/read/run_reader_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::store {

namespace {

constexpr int kMostTries = 100; ///< to find something readable behind damage

struct RankRange {
    std::int64_t first = 0, last = -1; ///< steps that have a row
    std::int64_t finalStep = -1;
};

/// The level to read and how many neighbours to merge, for at most 2 x maxPoints points.
struct Grain {
    int level = 0;
    std::int64_t merged = 1;

    std::int64_t steps() const { return bucketSteps(level) * merged; }
};

Grain grainFor(std::int64_t steps, std::int64_t maxPoints) {
    Grain grain;
    if (steps <= 2 * maxPoints)
        return grain;
    while (grain.level < kTopLevel && steps / bucketSteps(grain.level + 1) >= maxPoints)
        ++grain.level;
    const std::int64_t buckets = steps / bucketSteps(grain.level) + 1;
    grain.merged = (buckets + 2 * maxPoints - 1) / (2 * maxPoints);
    return grain;
}

/// Merges points into groups that begin at multiples of the grain, so that they stay where they are while the view
/// moves.
class Merger {
public:
    explicit Merger(Grain grain) : m_steps(grain.steps()) {}
    void take(const SeriesPoint& point) {
        m_next = std::max(m_next, point.lastStep + 1);
        const std::int64_t group = point.firstStep / m_steps;
        if (m_points.empty() || group != m_group)
            m_points.push_back(emptyPoint());
        m_group = group;
        merge(m_points.back(), point);
    }
    std::int64_t next() const { return m_next; } ///< behind all that was taken
    std::vector<SeriesPoint> points() { return std::move(m_points); }

private:
    std::int64_t m_steps, m_group = -1, m_next = 0;
    std::vector<SeriesPoint> m_points;
};

} // namespace

std::vector<Cover> coverSteps(std::int64_t first, std::int64_t end, int level, std::int64_t closedEnd) {
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

static Result<RankRange> rangeOf(RunReader::Impl& m, int rank) {
    const auto bind = [rank](Statement& rows) { rows.bind(1, rank); };
    RankRange range, said;
    RS_TRY(eachReadable(
        m, "rank", "SELECT first_step, last_step, final_step FROM rank WHERE rank=?1",
        [&](const Statement& row) {
            said = {std::max<std::int64_t>(0, stepIn(row, 0)), stepIn(row, 1), stepIn(row, 2)};
        },
        bind));
    bool whole = false;
    RS_TRY(eachReadable(
        m, "step", "SELECT (SELECT min(step) FROM step WHERE rank=?1), (SELECT max(step) FROM step WHERE rank=?1)",
        [&](const Statement& row) {
            whole = row.isNull(1) || (row.integer(0) >= 0 && row.integer(1) <= kMaxStep);
            if (!whole)
                m.noteImpossible("step");
            if (!row.isNull(0))
                range = {std::max<std::int64_t>(0, stepIn(row, 0)), stepIn(row, 1), said.finalStep};
        },
        bind));
    return whole ? range : said; // its first or last steps are damaged
}

/// In its place, and behind the one before: else the file leads in circles.
static void takePossible(RunReader::Impl& m, const char* table, std::int64_t first, std::int64_t end,
                         const SeriesPoint& point, Merger& merger) {
    if (isPossible(point) && point.firstStep >= std::max(first, merger.next()) && point.lastStep < end)
        merger.take(point);
    else
        m.noteImpossible(table);
}

static Result<void> readSteps(RunReader::Impl& m, Metric metric, int rank, const Cover& cover, Merger& merger) {
    RS_TRY_ASSIGN(auto rows, m.statement(fmt::format(
                                 "SELECT step, begin_ns, end_ns, {0}, not_finite>>{1}&1 FROM step WHERE rank=?1 AND "
                                 "step>=?2 AND step<?3 AND "
                                 "(complete OR step<=(SELECT final_step FROM rank WHERE rank=?1)) ORDER BY step",
                                 info(metric).column, static_cast<int>(metric))));
    rows->bind(1, rank).bind(2, cover.first).bind(3, cover.end);
    return forEach(*rows, [&](const Statement& row) {
        const bool bad = row.integer(4) != 0;
        if (!bad && row.isNull(3))
            return;
        const SeriesPoint point =
            pointOf(row.integer(0), row.integer(1), row.integer(2), row.real(3), !bad && !std::isnan(row.number(3)));
        takePossible(m, "step", cover.first, cover.end, point, merger);
    });
}

static Result<void> readBuckets(RunReader::Impl& m, Metric metric, int rank, const Cover& cover, Merger& merger) {
    RS_TRY_ASSIGN(auto rows,
                  m.statement("SELECT first_step, last_step, begin_ns, end_ns, count, not_finite, min, max, mean FROM "
                              "pyramid WHERE rank=?1 AND metric=?2 AND level=?3 AND bucket>=?4 AND bucket<?5 "
                              "ORDER BY bucket"));
    rows->bind(1, rank).bind(2, static_cast<int>(metric)).bind(3, cover.level);
    rows->bind(4, cover.first).bind(5, cover.end);
    const std::int64_t size = bucketSteps(cover.level);
    return forEach(*rows, [&](const Statement& row) {
        takePossible(m, "pyramid", cover.first * size, cover.end * size, readPoint(row, 0), merger);
    });
}

static Result<void> readCover(RunReader::Impl& m, Metric metric, int rank, const Cover& cover, Merger& merger) {
    return cover.level == 0 ? readSteps(m, metric, rank, cover, merger) : readBuckets(m, metric, rank, cover, merger);
}

/// Late records change what counted as final.
static Result<void> checkRevision(RunReader::Impl& m) {
    if (!m.kept || m.viewing)
        return {};
    std::int64_t revision = 0;
    RS_TRY(eachReadable(m, "counter", "SELECT sum(value) FROM counter WHERE name='revised_groups'",
                        [&](const Statement& row) { revision = row.integer(0); }));
    m.kept->revisionIs(revision);
    return {};
}

/// Behind a page that cannot be read there are others: from the level below, then from farther and farther on.
static Result<void> readAround(RunReader::Impl& m, Metric metric, int rank, std::int64_t from, std::int64_t end,
                               int level, Merger& merger) {
    int tries = 0;
    for (std::int64_t gap = 0; from + gap < end && tries < kMostTries; ++tries) {
        from = std::max(from + gap, merger.next());
        Result<void> read;
        for (const Cover& cover : coverSteps(from, end, level, end)) {
            read = readCover(m, metric, rank, cover, merger);
            if (!read)
                break;
        }
        if (read)
            return {};
        RS_TRY(m.noted(level == 0 ? "step" : "pyramid", read.error()));
        if (level > 0)
            return readAround(m, metric, rank, std::max(from, merger.next()), end, level - 1, merger);
        gap = merger.next() > from ? 1 : std::max<std::int64_t>(1, 2 * gap);
    }
    return {};
}

/// Steps [first, end), as far as they can be read.
static Result<void> readPart(RunReader::Impl& m, Metric metric, int rank, std::int64_t first, std::int64_t end,
                             int level, std::int64_t finalEnd, Merger& merger) {
    for (const Cover& cover : coverSteps(first, end, level, finalEnd)) {
        auto read = readCover(m, metric, rank, cover, merger);
        if (read)
            continue;
        RS_TRY(m.noted(cover.level == 0 ? "step" : "pyramid", read.error()));
        const std::int64_t size = bucketSteps(cover.level);
        RS_TRY(readAround(m, metric, rank, std::max(cover.first * size, merger.next()), cover.end * size, cover.level,
                          merger));
    }
    return {};
}

/// Whole groups of final steps, of which nothing changes: what was read of them before is not read again.
static Result<void> takeGroups(RunReader::Impl& m, Metric metric, int rank, std::int64_t first, std::int64_t end,
                               Grain grain, Merger& merger) {
    const std::int64_t size = grain.steps();
    const auto points =
        m.kept->take({metric, rank, size}, first, end,
                     [&](std::int64_t from, std::int64_t to, std::vector<SeriesPoint>& into) -> Result<void> {
                         Merger part(grain);
                         for (const Cover& cover : coverSteps(from * size, to * size, grain.level, to * size))
                             RS_TRY(readCover(m, metric, rank, cover, part));
                         const auto read = part.points();
                         into.insert(into.end(), read.begin(), read.end());
                         return {};
                     });
    if (!points) // with what is behind the damage
        return readPart(m, metric, rank, first * size, end * size, grain.level, end * size, merger);
    for (const SeriesPoint& point : *points)
        merger.take(point);
    return {};
}

/// Inside the caller's transaction.
static Result<std::vector<SeriesPoint>> readSeries(RunReader::Impl& m, Metric metric, int rank, std::int64_t first,
                                                   std::int64_t last, int maxPoints) {
    RS_TRY_ASSIGN(auto range, rangeOf(m, rank));
    first = std::max(first, range.first);
    last = std::min(last, range.last);
    if (metric >= Metric::Count || first > last)
        return std::vector<SeriesPoint>{};
    RS_TRY(checkRevision(m));
    const Grain grain = grainFor(last - first + 1, std::max(maxPoints, 1));
    const std::int64_t end = last + 1, finalEnd = range.finalStep + 1, size = grain.steps();
    const std::int64_t from = (first + size - 1) / size, to = std::min(end, finalEnd) / size;
    Merger merger(grain);
    if (!m.kept || from >= to) {
        RS_TRY(readPart(m, metric, rank, first, end, grain.level, finalEnd, merger));
        return merger.points();
    }
    RS_TRY(readPart(m, metric, rank, first, from * size, grain.level, finalEnd, merger));
    RS_TRY(takeGroups(m, metric, rank, from, to, grain, merger));
    RS_TRY(readPart(m, metric, rank, to * size, end, grain.level, finalEnd, merger));
    return merger.points();
}

Result<std::vector<SeriesPoint>> RunReader::series(Metric metric, int rank, std::int64_t first, std::int64_t last,
                                                   int maxPoints) {
    RS_TRY_ASSIGN(const auto snapshot, Transaction::begin(m->db, Transaction::Kind::Read));
    return readSeries(*m, metric, rank, first, last, maxPoints);
}

void RunReader::keepSeries() {
    m->kept.emplace();
}

/// The first step of a rank, at or after `low`, whose `column` is >= atNs; `high` + 1 when there is none. Steps follow
/// each other in time, so halving finds it.
static Result<std::int64_t> firstStepAt(RunReader::Impl& m, int rank, RankRange range, std::string_view column,
                                        std::int64_t atNs) {
    RS_TRY_ASSIGN(
        auto rows,
        m.statement(fmt::format("SELECT step, {} FROM step WHERE rank=?1 AND step>=?2 ORDER BY step LIMIT 1", column)));
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

/// The steps of a rank that touch [fromNs, toNs].
static Result<StepInterval> stepsOf(RunReader::Impl& m, int rank, RankRange range, std::int64_t fromNs,
                                    std::int64_t toNs) {
    if (fromNs > toNs || range.first > range.last)
        return StepInterval{};
    auto first = firstStepAt(m, rank, range, "end_ns", fromNs);
    auto behind =
        toNs == INT64_MAX ? Result<std::int64_t>(range.last + 1) : firstStepAt(m, rank, range, "begin_ns", toNs + 1);
    if (!first || !behind)
        return tl::unexpected(first ? behind.error() : first.error());
    return StepInterval{*first, *behind - 1};
}

Result<StepInterval> RunReader::stepsBetween(std::int64_t fromNs, std::int64_t toNs) {
    RS_TRY_ASSIGN(const auto snapshot, Transaction::begin(m->db, Transaction::Kind::Read));
    StepInterval all;
    for (int rank = 0; rank < m->meta.worldSize; ++rank) {
        RS_TRY_ASSIGN(auto range, rangeOf(*m, rank));
        auto steps = stepsOf(*m, rank, range, fromNs, toNs);
        if (!steps)
            return steps;
        if (steps->count() > 0)
            all = all.count() == 0 ? *steps
                                   : StepInterval{std::min(all.first, steps->first), std::max(all.last, steps->last)};
    }
    return all;
}

Result<std::vector<SeriesPoint>> RunReader::seriesByTime(Metric metric, int rank, std::int64_t fromNs,
                                                         std::int64_t toNs, int maxPoints) {
    RS_TRY_ASSIGN(const auto snapshot, Transaction::begin(m->db, Transaction::Kind::Read));
    RS_TRY_ASSIGN(auto range, rangeOf(*m, rank));
    RS_TRY_ASSIGN(auto steps, stepsOf(*m, rank, range, fromNs, toNs));
    if (steps.count() == 0)
        return std::vector<SeriesPoint>{};
    return readSeries(*m, metric, rank, steps.first, steps.last, maxPoints);
}

} // namespace rankscope::store
