// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/scalar_reader.h"

#include "core/store/tables/pyramid.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::store {

Result<ScalarReader> ScalarReader::open(const std::filesystem::path& file) {
    RS_TRY_ASSIGN(auto store, OpenStore::open(file));
    RS_TRY_ASSIGN(const bool has, store->has("scalar"));
    return ScalarReader(std::move(store), has);
}

Result<std::vector<std::string>> ScalarReader::tags(int limit) {
    std::vector<std::string> tags;
    if (!m_hasScalars)
        return tags;
    RS_TRY_ASSIGN(auto rows, m_store->db().prepare("SELECT name FROM scalar_tag ORDER BY name LIMIT ?1"));
    rows.bind(1, std::max(limit, 0));
    RS_TRY(forEach(rows, [&](const Statement& row) { tags.push_back(row.text(0)); }));
    return tags;
}

Result<std::vector<SeriesPoint>> ScalarReader::read(const std::string& tag, int rank, std::int64_t from,
                                                    std::int64_t to, int maxPoints, bool byTime) {
    std::vector<SeriesPoint> points;
    from = std::max(from, byTime ? -kMostNs : 0);
    to = std::min(to, byTime ? kMostNs : kMaxStep);
    if (!m_hasScalars || from > to)
        return points;
    const char* column = byTime ? "time_ns" : "step";
    RS_TRY_ASSIGN(auto ends, m_store->db().prepare(fmt::format(
                                 "SELECT min({0}), max({0}) FROM scalar WHERE rank=?1 AND tag=(SELECT id FROM "
                                 "scalar_tag WHERE name=?2)",
                                 column)));
    RS_TRY_ASSIGN(auto rows, m_store->db().prepare(fmt::format(
                                 "SELECT step, time_ns, value FROM scalar WHERE rank=?1 AND tag=(SELECT id FROM "
                                 "scalar_tag WHERE name=?2) AND {0}>=?3 AND {0}<=?4 ORDER BY step",
                                 column)));
    ends.bind(1, rank).bind(2, std::string_view(tag));
    RS_TRY(forEach(ends, [&](const Statement& row) {
        from = row.isNull(0) ? to + 1 : std::max(from, row.integer(0));
        to = std::min(to, row.integer(1));
    }));
    if (from > to)
        return points;
    const std::int64_t most = std::max(maxPoints, 1), size = (to - from) / most + 1;
    std::int64_t group = -1;
    rows.bind(1, rank).bind(2, std::string_view(tag)).bind(3, from).bind(4, to);
    RS_TRY(forEach(rows, [&](const Statement& row) {
        const std::int64_t step = row.integer(0), timeNs = row.integer(1);
        const SeriesPoint point = pointOf(step, timeNs, timeNs, row.real(2), !row.isNull(2));
        if (!isPossible(point))
            return m_store->recordImpossible("scalar");
        const std::int64_t mine = (byTime ? timeNs : step) / size;
        if (points.empty() || mine > group) { // a point out of order joins the previous group
            points.push_back(emptyPoint());
            group = mine;
        }
        merge(points.back(), point);
    }));
    return points;
}

Result<std::vector<SeriesPoint>> ScalarReader::series(const std::string& tag, int rank, std::int64_t first,
                                                      std::int64_t last, int maxPoints) {
    return read(tag, rank, first, last, maxPoints, false);
}

Result<std::vector<SeriesPoint>> ScalarReader::seriesByTime(const std::string& tag, int rank, std::int64_t fromNs,
                                                            std::int64_t toNs, int maxPoints) {
    return read(tag, rank, fromNs, toNs, maxPoints, true);
}

/// The pyramid has buckets only where there are values, which is a few rows even for a long run. The newest steps,
/// which it does not cover yet, are read one by one.
Result<std::vector<CheckpointRow>> ScalarReader::checkpoints(int limit) {
    std::vector<CheckpointRow> found;
    RS_TRY_ASSIGN(
        auto buckets,
        m_store->db().prepare("SELECT first_step, last_step FROM pyramid WHERE rank=0 AND metric=?1 AND level=1 ORDER "
                              "BY bucket LIMIT ?2"));
    RS_TRY_ASSIGN(auto steps,
                  m_store->db().prepare(
                      "SELECT step, end_ns FROM step WHERE rank=0 AND step>=?1 AND step<=?2 AND checkpoint_ns IS "
                      "NOT NULL ORDER BY step LIMIT ?3"));
    RS_TRY_ASSIGN(const auto done,
                  m_store->db().scalar("SELECT coalesce((SELECT final_step FROM rank WHERE rank=0), -1)"));
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    buckets.bind(1, static_cast<int>(Metric::Checkpoint)).bind(2, std::max(limit, 0));
    RS_TRY(forEach(buckets, [&](const Statement& row) { places.emplace_back(row.integer(0), row.integer(1)); }));
    const std::int64_t final = std::clamp<std::int64_t>(done, -1, kMaxStep);
    places.emplace_back((final + 1) / kFanOut * kFanOut, kMaxStep);
    for (const auto& [first, last] : places) {
        steps.reset();
        steps.bind(1, first).bind(2, last).bind(3, std::max<std::int64_t>(limit - std::ssize(found), 0));
        RS_TRY(forEach(steps, [&](const Statement& row) { found.push_back({row.integer(0), row.integer(1)}); }));
    }
    return found;
}

} // namespace rankscope::store
