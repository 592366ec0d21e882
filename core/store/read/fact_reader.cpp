// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/fact_reader.h"

#include "core/store/tables/detector_input_rows.h"
#include "core/store/tables/incident_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace rankscope::store {

static constexpr int kMostStackRows = 20'000; ///< limit of one query

static constexpr const char* kSelectRanks =
    "SELECT rank, host, device, first_step, last_step, last_ns, last_loss, ended, end_cause, exit_code, weights_hash, "
    "end_text, waited_ns, held_ns, final_step FROM rank ";

static RankSummary rankOf(const Statement& row) {
    RankSummary r;
    r.rank = static_cast<int>(row.integer(0));
    r.host = row.text(1);
    r.device = row.text(2);
    r.firstStep = stepIn(row, 3);
    r.lastStep = stepIn(row, 4);
    r.lastNs = timeOf(row, 5);
    if (r.lastStep >= 0 && !row.isNull(6))
        r.lastLoss = row.number(6);
    r.ended = row.integer(7) != 0;
    r.endCause = static_cast<telemetry::EndCause>(std::clamp<std::int64_t>(row.integer(8), 0, 2));
    r.exitCode = static_cast<int>(std::clamp<std::int64_t>(row.integer(9), INT32_MIN, INT32_MAX));
    r.weightsHash = static_cast<std::uint64_t>(row.integer(10));
    r.endText = row.text(11);
    r.waitedNs = std::max<std::int64_t>(0, timeOf(row, 12));
    r.heldNs = std::max<std::int64_t>(0, timeOf(row, 13));
    r.finalStep = stepIn(row, 14);
    return r;
}

/// Reads row by row, by key, to get the rows after a page that cannot be read.
Result<void> FactReader::findRanks(std::vector<RankSummary>& ranks) {
    std::set<int> has;
    for (const RankSummary& rank : ranks)
        has.insert(rank.rank);
    for (int wanted = 0; wanted < std::min(m_store->meta().worldSize, 4096); ++wanted)
        if (!has.contains(wanted))
            RS_TRY(m_store->eachReadable(
                "rank", std::string(kSelectRanks) + "WHERE rank=?1",
                [&](const Statement& row) {
                    if (row.integer(0) == wanted)
                        ranks.push_back(rankOf(row));
                },
                wanted));
    std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return {};
}

/// The table of ranks has NULL for a loss that is not a number and for one that is not known. The row of the step says
/// which it is; if there is none, the loss counts as not a number.
Result<void> FactReader::findLosses(std::vector<RankSummary>& ranks) {
    constexpr auto kLossBit = std::int64_t{1} << static_cast<int>(Metric::Loss);
    for (RankSummary& rank : ranks) {
        if (rank.lastLoss || rank.lastStep < 0)
            continue;
        rank.lastLoss = std::numeric_limits<double>::quiet_NaN();
        RS_TRY(m_store->eachReadable(
            "step", "SELECT not_finite FROM step WHERE rank=?1 AND step=?2",
            [&](const Statement& row) {
                if ((row.integer(0) & kLossBit) == 0)
                    rank.lastLoss.reset();
            },
            rank.rank, rank.lastStep));
    }
    return {};
}

Result<std::vector<RankSummary>> FactReader::ranks() {
    std::vector<RankSummary> ranks;
    RS_TRY(m_store->eachReadable("rank", std::string(kSelectRanks) + "ORDER BY rank LIMIT 70000",
                                 [&](const Statement& row) {
                                     const bool after = ranks.empty() || row.integer(0) > ranks.back().rank;
                                     if (!m_store->isRank(row.integer(0)) || !after)
                                         return m_store->recordImpossible("rank");
                                     ranks.push_back(rankOf(row));
                                 }));
    if (m_store->condition().tables.contains("rank") && static_cast<int>(ranks.size()) < m_store->meta().worldSize)
        RS_TRY(findRanks(ranks)); // one by one, to get the rows after the damage
    RS_TRY(findLosses(ranks));
    return ranks;
}

Result<std::vector<diagnosis::Incident>> FactReader::incidents() {
    std::vector<diagnosis::Incident> incidents;
    bool impossible = false;
    auto read = readIncidents(m_store->db(), m_store->meta().startNs, incidents, impossible);
    if (impossible)
        m_store->recordImpossible("incident");
    if (!read)
        RS_TRY(m_store->recordDamage("incident", read.error()));
    return incidents;
}

Result<void> FactReader::detectorInput(const std::function<Result<void>(const diagnosis::RecordingChunk&)>& take) {
    RS_TRY_ASSIGN(const bool has, m_store->has("detector_input"));
    return has ? readInput(m_store->db(), m_store->meta().startNs, take) : Result<void>{};
}

Result<std::vector<Note>> FactReader::notes(std::int64_t afterId, int limit, NotesOf authors) {
    std::vector<Note> notes;
    constexpr std::string_view sql = "SELECT id, rank, time_ns, step, severity, text FROM note WHERE id>?1 AND (?3=0 "
                                     "OR rank=-1) ORDER BY id LIMIT ?2";
    RS_TRY(m_store->eachReadable(
        "note", sql,
        [&](const Statement& row) {
            const std::int64_t rank = row.integer(1);
            if (row.integer(0) <= (notes.empty() ? afterId : notes.back().id) || rank < -1 ||
                rank >= m_store->meta().worldSize)
                return m_store->recordImpossible("note");
            const auto severity = static_cast<telemetry::NoteSeverity>(std::clamp<std::int64_t>(row.integer(4), 0, 3));
            notes.push_back(
                {row.integer(0), static_cast<int>(rank), timeOf(row, 2), stepIn(row, 3), severity, row.text(5)});
        },
        afterId, std::max(limit, 0), authors == NotesOf::Supervisor ? 1 : 0));
    return notes;
}

Result<std::vector<ValidationRow>> FactReader::validations(std::int64_t afterStep, int limit) {
    std::vector<ValidationRow> result;
    RS_TRY(m_store->eachIfThere(
        "validation",
        "SELECT rank, step, begin_ns, end_ns, loss, local_loss, batches, masked_frames FROM validation WHERE rank=0 "
        "AND step>?1 ORDER "
        "BY step, begin_ns LIMIT ?2",
        [&](const Statement& row) {
            const std::int64_t rank = row.integer(0);
            if (!m_store->isRank(rank) || row.integer(1) > kMaxStep)
                return m_store->recordImpossible("validation");
            result.push_back({static_cast<int>(rank), stepIn(row, 1), timeOf(row, 2), timeOf(row, 3), row.number(4),
                              row.number(5), std::max<std::int64_t>(0, row.integer(6)),
                              !row.isNull(4) || row.integer(7) >= 0});
        },
        afterStep, std::max(limit, 0)));
    return result;
}

Result<std::vector<CheckRow>> FactReader::checks() {
    std::vector<CheckRow> result;
    RS_TRY(m_store->eachIfThere(
        "rank_check",
        "SELECT rank, name, status, stops, text, time_ns FROM rank_check ORDER BY time_ns, rank LIMIT 100000",
        [&](const Statement& row) {
            const std::int64_t rank = row.integer(0);
            if (!m_store->isRank(rank))
                return m_store->recordImpossible("rank_check");
            const auto status = std::clamp<std::int64_t>(row.integer(2), 0, 2);
            result.push_back({static_cast<int>(rank), row.text(1), static_cast<telemetry::CheckStatus>(status),
                              row.integer(3) != 0, row.text(4), timeOf(row, 5)});
        }));
    return result;
}

Result<std::vector<ScalarRow>> FactReader::setLosses() {
    std::vector<ScalarRow> newest;
    RS_TRY_ASSIGN(const bool known, m_store->has("scalar"));
    if (!known)
        return newest;
    RS_TRY(m_store->each("SELECT name, step, time_ns, value FROM scalar_tag JOIN scalar ON rank=0 AND "
                         "tag=scalar_tag.id AND step=(SELECT max(step) FROM scalar WHERE rank=0 AND "
                         "tag=scalar_tag.id) WHERE substr(name,-9)='_val_loss' ORDER BY name LIMIT 1000",
                         [&](const Statement& row) {
                             newest.push_back({0, row.text(0), row.integer(1), row.integer(2), row.number(3)});
                         }));
    return newest;
}

Result<std::vector<Counter>> FactReader::counters() {
    std::vector<Counter> counters;
    RS_TRY(m_store->eachReadable("counter", "SELECT name, rank, value FROM counter ORDER BY name, rank LIMIT 100000",
                                 [&](const Statement& row) {
                                     const std::int64_t rank = row.integer(1);
                                     if (rank < -1 || rank >= m_store->meta().worldSize || row.integer(2) < 0)
                                         return m_store->recordImpossible("counter");
                                     counters.push_back({row.text(0), static_cast<int>(rank), row.integer(2)});
                                 }));
    return counters;
}

Result<std::vector<diagnosis::TimeSpan>> FactReader::unwatched() {
    std::vector<diagnosis::TimeSpan> times;
    RS_TRY(m_store->eachIfThere("unwatched", "SELECT begin_ns, end_ns FROM unwatched ORDER BY begin_ns LIMIT 100000",
                                [&](const Statement& row) {
                                    if (row.integer(0) < 0 || row.integer(1) <= row.integer(0))
                                        return m_store->recordImpossible("unwatched");
                                    times.push_back({row.integer(0), row.integer(1)});
                                }));
    return times;
}

Result<std::vector<SoftwareRow>> FactReader::software() {
    std::vector<SoftwareRow> rows;
    RS_TRY(m_store->eachIfThere(
        "software", "SELECT name, version, rank FROM software ORDER BY name, version, rank LIMIT 1000000",
        [&](const Statement& row) {
            if (!m_store->isRank(row.integer(2)))
                return m_store->recordImpossible("software");
            if (rows.empty() || rows.back().name != row.text(0) || rows.back().version != row.text(1))
                rows.push_back({row.text(0), row.text(1), {}});
            rows.back().ranks.push_back(static_cast<int>(row.integer(2)));
        }));
    return rows;
}

/// Appends the ranks of a list such as "[0,2,4]". Returns false if it is not one, or a rank is not below `worldSize`.
static bool appendRanks(std::string_view list, int worldSize, std::vector<int>& ranks) {
    if (!list.starts_with('[') || !list.ends_with(']'))
        return false;
    for (list = list.substr(1); list.size() > 1;) {
        int rank = -1;
        const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), rank);
        if (error != std::errc() || rank < 0 || rank >= worldSize || (!ranks.empty() && rank <= ranks.back()))
            return false;
        ranks.push_back(rank);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        if (list.size() > 1 && !list.starts_with(','))
            return false;
        list.remove_prefix(list.starts_with(',') ? 1 : 0);
    }
    return true;
}

Result<std::vector<GroupRow>> FactReader::groups() {
    std::vector<GroupRow> groups;
    RS_TRY(m_store->eachIfThere(
        "process_group",
        "SELECT number, name, backend, ranks FROM process_group ORDER BY number, first_rank LIMIT 100000",
        [&](const Statement& row) {
            const auto number = static_cast<std::uint32_t>(row.integer(0));
            if (row.integer(0) != number)
                return m_store->recordImpossible("process_group");
            if (groups.empty() || groups.back().number != number)
                groups.push_back({number, row.text(1), row.text(2), {}});
            if (!appendRanks(row.text(3), m_store->meta().worldSize, groups.back().ranks))
                m_store->recordImpossible("process_group");
        }));
    return groups;
}

Result<std::vector<StackRow>> FactReader::stacks(std::int64_t incident) {
    std::vector<StackRow> result;
    constexpr std::string_view sql =
        "SELECT incident, rank, role, taken_ns, thread, place, name, doing, frames, remark FROM stack WHERE ?1=0 OR "
        "incident=?1 ORDER BY incident, role, rank, place, thread LIMIT ?2";
    RS_TRY(m_store->eachIfThere(
        "stack", sql,
        [&](const Statement& row) {
            result.push_back({row.integer(0), rankIn(row, 1), row.text(2), timeOf(row, 3),
                              static_cast<int>(row.integer(4)), static_cast<int>(row.integer(5)), row.text(6),
                              row.text(7), row.text(8), row.text(9)});
        },
        incident, kMostStackRows));
    return result;
}

Result<std::vector<FactRow>> FactReader::facts(int rank, std::int64_t fromNs, std::int64_t toNs, int limit) {
    std::vector<FactRow> result;
    constexpr std::string_view sql =
        "SELECT rank, time_ns, cpu_share, cpu_throttled_share, rss_bytes, swap_bytes, major_faults_per_second, "
        "write_bytes_per_second, memory_used_bytes, memory_limit_bytes, gpu_used_bytes, gpu_total_bytes, "
        "gpu_clock_share, gpu_temperature, gpu_throttle FROM fact WHERE rank=?1 AND time_ns>=?2 AND time_ns<=?3 ORDER "
        "BY time_ns LIMIT ?4";
    RS_TRY(m_store->eachIfThere(
        "fact", sql,
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
        rank, fromNs, toNs, std::max(limit, 0)));
    return result;
}

/// Takes each rank's maximum over its own records (one per second) and the supervisor's.
Result<std::vector<MemorySummary>> FactReader::memory(SeriesReader& series) {
    std::vector<MemorySummary> ranks;
    for (int r = 0; r < m_store->meta().worldSize; ++r)
        ranks.push_back({r});
    const auto of = [&](std::int64_t rank) -> MemorySummary* {
        return rank >= 0 && rank < m_store->meta().worldSize ? &ranks[static_cast<std::size_t>(rank)] : nullptr;
    };
    constexpr std::string_view told = "SELECT rank, max(rss_bytes), max(gpu_bytes) FROM resource GROUP BY rank";
    RS_TRY(m_store->eachReadable("resource", told, [&](const Statement& row) {
        if (auto* rank = of(row.integer(0))) {
            rank->mostRssBytes = knownInteger(row, 1);
            rank->mostGpuBytes = knownInteger(row, 2);
        }
    }));
    for (MemorySummary& rank : ranks) {
        RS_TRY_ASSIGN(const auto lengths, series.series(Metric::FramesMax, rank.rank, 0, kMaxStep, 4));
        for (const SeriesPoint& point : lengths)
            if (std::isfinite(point.max))
                rank.longestFrames = std::max(rank.longestFrames, static_cast<std::int64_t>(std::min(point.max, 1e15)));
    }
    // SQLite takes the other columns from the row of the newest time
    constexpr std::string_view newest = "SELECT rank, max(time_ns), rss_bytes, memory_used_bytes, memory_limit_bytes, "
                                        "gpu_used_bytes, gpu_total_bytes FROM fact GROUP BY rank";
    constexpr std::string_view most = "SELECT rank, max(rss_bytes), max(gpu_used_bytes), max(swap_bytes) FROM fact "
                                      "GROUP BY rank";
    RS_TRY(m_store->eachIfThere("fact", newest, [&](const Statement& row) {
        if (auto* rank = of(row.integer(0))) {
            rank->rssBytes = knownInteger(row, 2);
            rank->groupUsedBytes = knownInteger(row, 3);
            rank->groupLimitBytes = knownInteger(row, 4);
            rank->gpuBytes = knownInteger(row, 5);
            rank->gpuTotalBytes = knownInteger(row, 6);
        }
    }));
    RS_TRY(m_store->eachIfThere("fact", most, [&](const Statement& row) {
        if (auto* rank = of(row.integer(0))) {
            rank->mostRssBytes = std::max(rank->mostRssBytes, knownInteger(row, 1));
            rank->mostGpuBytes = std::max(rank->mostGpuBytes, knownInteger(row, 2));
            rank->mostSwapBytes = knownInteger(row, 3);
        }
    }));
    return ranks;
}

Result<void> FactReader::addRssSince(const char* table, std::vector<std::int64_t>& untilNs) {
    RS_TRY_ASSIGN(const bool there, m_store->has(table));
    untilNs.resize(there ? static_cast<std::size_t>(m_store->meta().worldSize) : 0, INT64_MIN);
    const std::string sql =
        fmt::format("SELECT max(rss_bytes), max(time_ns) FROM {} WHERE rank=?1 AND time_ns>?2", table);
    for (std::size_t rank = 0; rank < untilNs.size(); ++rank)
        RS_TRY(m_store->eachReadable(
            table, sql,
            [&](const Statement& row) {
                m_mostRssBytes = std::max(m_mostRssBytes, knownInteger(row, 0));
                if (!row.isNull(1))
                    untilNs[rank] = row.integer(1);
            },
            static_cast<std::int64_t>(rank), untilNs[rank]));
    return {};
}

Result<std::int64_t> FactReader::mostRssBytes() {
    RS_TRY(addRssSince("resource", m_resourceUntilNs));
    RS_TRY(addRssSince("fact", m_factUntilNs));
    return m_mostRssBytes;
}

} // namespace rankscope::store
