// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/stack_and_usage_rows.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "core/store/read/run_reader_impl.h"
#include "core/store/tables/schema.h"
#include "core/store/write/run_writer_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::store {

static constexpr int kStackIncidents = 200;   ///< the newest, whose stacks are kept
static constexpr int kMostStackRows = 20'000; ///< that are read at once

static void bindKnown(Statement& row, int index, std::int64_t value) {
    if (value < 0)
        row.bindNull(index);
    else
        row.bind(index, value);
}

static void bindKnown(Statement& row, int index, double value) {
    if (value < 0)
        row.bindNull(index);
    else
        row.bind(index, value);
}

static std::int64_t knownInteger(const Statement& row, int column) {
    return row.isNull(column) ? -1 : row.integer(column);
}

static double knownReal(const Statement& row, int column) {
    return row.isNull(column) ? -1 : row.real(column);
}

Result<void> RunStore::stacks(std::span<const StackRow> rows) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY_ASSIGN(auto insert,
                      m->db.prepare("INSERT OR REPLACE INTO stack(incident,rank,thread,place,role,taken_ns,name,doing,"
                                    "frames,remark) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)"));
        for (const StackRow& r : rows) {
            insert.bind(1, r.incident + m->incidentBase).bind(2, r.rank).bind(3, r.thread).bind(4, r.place);
            insert.bind(5, std::string_view(r.role)).bind(6, r.takenNs - m->meta.startNs);
            insert.bind(7, std::string_view(r.name)).bind(8, std::string_view(r.doing));
            RS_TRY(insert.bind(9, std::string_view(r.frames)).bind(10, std::string_view(r.remark)).run());
        }
        RS_TRY(m->db.execute(
            fmt::format("DELETE FROM stack WHERE incident <= (SELECT max(incident) FROM stack) - {}", kStackIncidents)
                .c_str()));
        if (const std::int64_t gone = m->db.changes(); gone > 0)
            return m->rows.count("thinned_stacks", -1, gone);
        return {};
    });
}

Result<void> RunStore::facts(std::span<const FactRow> rows) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY_ASSIGN(auto insert,
                      m->db.prepare("INSERT OR REPLACE INTO fact VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,"
                                    "?15)"));
        for (const FactRow& r : rows) {
            const auto& v = r.view;
            insert.bind(1, r.rank).bind(2, r.timeNs - m->meta.startNs);
            bindKnown(insert, 3, v.cpuShare);
            bindKnown(insert, 4, v.cpuThrottledShare);
            bindKnown(insert, 5, v.rssBytes);
            bindKnown(insert, 6, v.swapBytes);
            bindKnown(insert, 7, v.majorFaultsPerSecond);
            bindKnown(insert, 8, v.writeBytesPerSecond);
            bindKnown(insert, 9, v.memoryUsedBytes);
            bindKnown(insert, 10, v.memoryLimitBytes);
            bindKnown(insert, 11, v.gpuUsedBytes);
            bindKnown(insert, 12, v.gpuTotalBytes);
            bindKnown(insert, 13, v.gpuClockShare);
            bindKnown(insert, 14, v.gpuTemperature);
            RS_TRY(insert.bind(15, std::string_view(v.gpuThrottle)).run());
        }
        return {};
    });
}

Result<std::vector<StackRow>> RunReader::stacks(std::int64_t incident) {
    std::vector<StackRow> result;
    auto known = hasTable(m->db, "stack");
    if (!known || !*known)
        return known ? Result<std::vector<StackRow>>(std::move(result)) : tl::unexpected(known.error());
    constexpr std::string_view sql =
        "SELECT incident, rank, role, taken_ns, thread, place, name, doing, frames, remark FROM stack WHERE ?1=0 OR "
        "incident=?1 ORDER BY incident, role, rank, place, thread LIMIT ?2";
    const auto bind = [incident](Statement& rows) { rows.bind(1, incident).bind(2, kMostStackRows); };
    RS_TRY(eachReadable(
        *m, "stack", sql,
        [&](const Statement& row) {
            StackRow r;
            r.incident = row.integer(0);
            r.rank = rankIn(row, 1);
            r.role = row.text(2);
            r.takenNs = timeOf(row, 3);
            r.thread = static_cast<int>(row.integer(4));
            r.place = static_cast<int>(row.integer(5));
            r.name = row.text(6);
            r.doing = row.text(7);
            r.frames = row.text(8);
            r.remark = row.text(9);
            result.push_back(std::move(r));
        },
        bind));
    return result;
}

Result<std::vector<FactRow>> RunReader::facts(int rank, std::int64_t fromNs, std::int64_t toNs, int limit) {
    std::vector<FactRow> result;
    auto known = hasTable(m->db, "fact");
    if (!known || !*known)
        return known ? Result<std::vector<FactRow>>(std::move(result)) : tl::unexpected(known.error());
    constexpr std::string_view sql =
        "SELECT rank, time_ns, cpu_share, cpu_throttled_share, rss_bytes, swap_bytes, major_faults_per_second, "
        "write_bytes_per_second, memory_used_bytes, memory_limit_bytes, gpu_used_bytes, gpu_total_bytes, "
        "gpu_clock_share, gpu_temperature, gpu_throttle FROM fact WHERE rank=?1 AND time_ns>=?2 AND time_ns<=?3 ORDER "
        "BY time_ns LIMIT ?4";
    const auto bind = [&](Statement& rows) {
        rows.bind(1, rank).bind(2, fromNs).bind(3, toNs).bind(4, std::max(limit, 0));
    };
    RS_TRY(eachReadable(
        *m, "fact", sql,
        [&](const Statement& row) {
            FactRow r;
            r.rank = rank;
            r.timeNs = timeOf(row, 1);
            r.view.cpuShare = knownReal(row, 2);
            r.view.cpuThrottledShare = knownReal(row, 3);
            r.view.rssBytes = knownInteger(row, 4);
            r.view.swapBytes = knownInteger(row, 5);
            r.view.majorFaultsPerSecond = knownReal(row, 6);
            r.view.writeBytesPerSecond = knownReal(row, 7);
            r.view.memoryUsedBytes = knownInteger(row, 8);
            r.view.memoryLimitBytes = knownInteger(row, 9);
            r.view.gpuUsedBytes = knownInteger(row, 10);
            r.view.gpuTotalBytes = knownInteger(row, 11);
            r.view.gpuClockShare = knownReal(row, 12);
            r.view.gpuTemperature = knownReal(row, 13);
            r.view.gpuThrottle = row.text(14);
            result.push_back(std::move(r));
        },
        bind));
    return result;
}

/// The highest of each rank: over its own records (every second) and the supervisor's.
Result<std::vector<MemorySummary>> RunReader::memory() {
    std::vector<MemorySummary> ranks;
    for (int r = 0; r < m->meta.worldSize; ++r)
        ranks.push_back({r});
    const auto of = [&](std::int64_t rank) -> MemorySummary* {
        return rank >= 0 && rank < m->meta.worldSize ? &ranks[static_cast<std::size_t>(rank)] : nullptr;
    };
    constexpr std::string_view told = "SELECT rank, max(rss_bytes), max(gpu_bytes) FROM resource GROUP BY rank";
    RS_TRY(eachReadable(*m, "resource", told, [&](const Statement& row) {
        if (auto* rank = of(row.integer(0))) {
            rank->mostRssBytes = knownInteger(row, 1);
            rank->mostGpuBytes = knownInteger(row, 2);
        }
    }));
    for (MemorySummary& rank : ranks) {
        RS_TRY_ASSIGN(auto lengths, series(Metric::FramesMax, rank.rank, 0, kMaxStep, 4));
        for (const SeriesPoint& point : lengths)
            if (std::isfinite(point.max))
                rank.longestFrames = std::max(rank.longestFrames, static_cast<std::int64_t>(std::min(point.max, 1e15)));
    }
    auto known = hasTable(m->db, "fact");
    if (!known || !*known)
        return known ? Result<std::vector<MemorySummary>>(std::move(ranks)) : tl::unexpected(known.error());
    // SQLite takes the other columns from the row of the newest time
    constexpr std::string_view newest = "SELECT rank, max(time_ns), rss_bytes, memory_used_bytes, memory_limit_bytes, "
                                        "gpu_used_bytes, gpu_total_bytes FROM fact GROUP BY rank";
    constexpr std::string_view most = "SELECT rank, max(rss_bytes), max(gpu_used_bytes), max(swap_bytes) FROM fact "
                                      "GROUP BY rank";
    RS_TRY(eachReadable(*m, "fact", newest, [&](const Statement& row) {
        if (auto* rank = of(row.integer(0))) {
            rank->rssBytes = knownInteger(row, 2);
            rank->groupUsedBytes = knownInteger(row, 3);
            rank->groupLimitBytes = knownInteger(row, 4);
            rank->gpuBytes = knownInteger(row, 5);
            rank->gpuTotalBytes = knownInteger(row, 6);
        }
    }));
    RS_TRY(eachReadable(*m, "fact", most, [&](const Statement& row) {
        if (auto* rank = of(row.integer(0))) {
            rank->mostRssBytes = std::max(rank->mostRssBytes, knownInteger(row, 1));
            rank->mostGpuBytes = std::max(rank->mostGpuBytes, knownInteger(row, 2));
            rank->mostSwapBytes = knownInteger(row, 3);
        }
    }));
    return ranks;
}

} // namespace rankscope::store
