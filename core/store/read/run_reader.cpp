// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/run_reader.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader_impl.h"
#include "core/store/read/wait_explainer.h"
#include "core/store/tables/detector_input_rows.h"
#include "core/store/tables/incident_rows.h"
#include "core/store/tables/meta_table.h"
#include "core/store/tables/schema.h"
#include "core/store/write/ingest_batch.h"

#include <algorithm>
#include <set>

namespace rankscope::store {

namespace fs = std::filesystem;

Result<Statement*> RunReader::Impl::statement(std::string_view sql) {
    auto at = statements.find(sql);
    if (at == statements.end()) {
        auto prepared = db.prepare(sql);
        if (!prepared) {
            Error error = prepared.error();
            if (error.code == Errc::Internal) // no such table, no such column
                error = {Errc::Malformed, "it is laid out in another way than this version knows: " + error.what,
                         error.where};
            return tl::unexpected(std::move(error));
        }
        at = statements.emplace(std::string(sql), std::move(*prepared)).first;
    }
    at->second.reset();
    db.renew();
    return &at->second;
}

RunReader::RunReader(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

const RunMeta& RunReader::meta() const {
    return m->meta;
}

std::int64_t RunReader::version() {
    auto version = m->statement("PRAGMA data_version");
    std::int64_t value = 0;
    if (version)
        (void)forEach(**version, [&](const Statement& row) { value = row.integer(0); });
    return value;
}

static RankSummary rankOf(const Statement& row) {
    RankSummary r;
    r.rank = static_cast<int>(row.integer(0));
    r.host = row.text(1);
    r.device = row.text(2);
    r.firstStep = stepIn(row, 3);
    r.lastStep = stepIn(row, 4);
    r.lastNs = timeOf(row, 5);
    r.lastLoss = row.number(6);
    r.ended = row.integer(7) != 0;
    r.endCause = static_cast<telemetry::EndCause>(std::clamp<std::int64_t>(row.integer(8), 0, 2));
    r.exitCode = static_cast<int>(std::clamp<std::int64_t>(row.integer(9), INT32_MIN, INT32_MAX));
    r.weightsHash = static_cast<std::uint64_t>(row.integer(10));
    r.endText = row.text(11);
    r.waitedNs = std::max<std::int64_t>(0, timeOf(row, 12));
    r.heldNs = std::max<std::int64_t>(0, timeOf(row, 13));
    return r;
}

/// Row by row, by key: what lies behind a page that cannot be read.
static Result<void> findRanks(RunReader::Impl& m, std::vector<RankSummary>& ranks) {
    std::set<int> has;
    for (const RankSummary& rank : ranks)
        has.insert(rank.rank);
    for (int wanted = 0; wanted < std::min(m.meta.worldSize, 4096); ++wanted)
        if (!has.contains(wanted))
            RS_TRY(eachReadable(
                m, "rank",
                "SELECT rank, host, device, first_step, last_step, last_ns, last_loss, ended, end_cause, exit_code, "
                "weights_hash, end_text, waited_ns, held_ns FROM rank WHERE rank=?1",
                [&](const Statement& row) {
                    if (row.integer(0) == wanted)
                        ranks.push_back(rankOf(row));
                },
                [&](Statement& rows) { rows.bind(1, wanted); }));
    std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return {};
}

Result<std::vector<RankSummary>> RunReader::ranks() {
    std::vector<RankSummary> ranks;
    RS_TRY(eachReadable(*m, "rank",
                        "SELECT rank, host, device, first_step, last_step, last_ns, last_loss, ended, end_cause, "
                        "exit_code, weights_hash, end_text, waited_ns, held_ns FROM rank ORDER BY rank LIMIT 70000",
                        [&](const Statement& row) {
                            const bool after = ranks.empty() || row.integer(0) > ranks.back().rank;
                            if (row.integer(0) < 0 || row.integer(0) >= m->meta.worldSize || !after)
                                return m->noteImpossible("rank");
                            ranks.push_back(rankOf(row));
                        }));
    if (m->condition.tables.contains("rank") && static_cast<int>(ranks.size()) < m->meta.worldSize)
        RS_TRY(findRanks(*m, ranks)); // one by one, on the other side of the damage
    return ranks;
}

Result<std::vector<diagnosis::Incident>> RunReader::incidents() {
    std::vector<diagnosis::Incident> incidents;
    bool impossible = false;
    auto read = readIncidents(m->db, m->meta.startNs, incidents, impossible);
    if (impossible)
        m->noteImpossible("incident");
    if (!read)
        RS_TRY(m->noted("incident", read.error()));
    return incidents;
}

Result<void> RunReader::detectorInput(const std::function<Result<void>(const diagnosis::RecordedPiece&)>& take) {
    RS_TRY_ASSIGN(auto has, hasTable(m->db, "detector_input"));
    return has ? readInput(m->db, m->meta.startNs, take) : Result<void>{};
}

Result<std::vector<Note>> RunReader::notes(std::int64_t afterId, int limit) {
    std::vector<Note> notes;
    RS_TRY(eachReadable(
        *m, "note", "SELECT id, rank, time_ns, step, severity, text FROM note WHERE id>?1 ORDER BY id LIMIT ?2",
        [&](const Statement& row) {
            const std::int64_t rank = row.integer(1);
            if (row.integer(0) <= (notes.empty() ? afterId : notes.back().id) || rank < -1 || rank >= m->meta.worldSize)
                return m->noteImpossible("note");
            const auto severity = static_cast<telemetry::Severity>(std::clamp<std::int64_t>(row.integer(4), 0, 3));
            notes.push_back(
                {row.integer(0), static_cast<int>(rank), timeOf(row, 2), stepIn(row, 3), severity, row.text(5)});
        },
        [&](Statement& rows) { rows.bind(1, afterId).bind(2, std::max(limit, 0)); }));
    return notes;
}

Result<std::vector<ValidationRow>> RunReader::validations(std::int64_t afterStep, int limit) {
    std::vector<ValidationRow> result;
    auto known = hasTable(m->db, "validation");
    if (!known || !*known)
        return known ? Result<std::vector<ValidationRow>>(std::move(result)) : tl::unexpected(known.error());
    RS_TRY(eachReadable(
        *m, "validation",
        "SELECT rank, step, begin_ns, end_ns, loss, local_loss, batches FROM validation WHERE step>?1 ORDER BY step, "
        "rank, begin_ns LIMIT ?2",
        [&](const Statement& row) {
            const std::int64_t rank = row.integer(0);
            if (rank < 0 || rank >= m->meta.worldSize || row.integer(1) > kMaxStep)
                return m->noteImpossible("validation");
            result.push_back({static_cast<int>(rank), stepIn(row, 1), timeOf(row, 2), timeOf(row, 3), row.number(4),
                              row.number(5), std::max<std::int64_t>(0, row.integer(6))});
        },
        [&](Statement& rows) { rows.bind(1, afterStep).bind(2, std::max(limit, 0)); }));
    return result;
}

Result<std::vector<CheckRow>> RunReader::checks() {
    std::vector<CheckRow> result;
    auto known = hasTable(m->db, "rank_check");
    if (!known || !*known)
        return known ? Result<std::vector<CheckRow>>(std::move(result)) : tl::unexpected(known.error());
    RS_TRY(eachReadable(
        *m, "rank_check",
        "SELECT rank, name, status, stops, text, time_ns FROM rank_check ORDER BY time_ns, rank LIMIT 100000",
        [&](const Statement& row) {
            const std::int64_t rank = row.integer(0);
            if (rank < 0 || rank >= m->meta.worldSize)
                return m->noteImpossible("rank_check");
            const auto status = std::clamp<std::int64_t>(row.integer(2), 0, 2);
            result.push_back({static_cast<int>(rank), row.text(1), static_cast<telemetry::CheckStatus>(status),
                              row.integer(3) != 0, row.text(4), timeOf(row, 5)});
        }));
    return result;
}

/// The steps that waits between ranks are kept for one by one begin here, but for those around incidents.
Result<std::int64_t> thinnedTo(RunReader::Impl& m) {
    std::int64_t to = 0;
    RS_TRY(eachReadable(m, "meta", "SELECT value FROM meta WHERE key='thinned_to'",
                        [&](const Statement& row) { to = std::clamp<std::int64_t>(row.integer(0), 0, kMaxStep); }));
    return to;
}

Result<std::vector<WaitCell>> RunReader::waits(std::int64_t firstStep, std::int64_t lastStep) {
    RS_TRY_ASSIGN(const auto snapshot, Transaction::begin(m->db, Transaction::Kind::Read));
    auto thinned = thinnedTo(*m);
    auto rows = m->statement("SELECT waiter, holder, tag, sum(wait_ns), sum(collectives) FROM wait_pair WHERE level=?1 "
                             "AND bucket>=?2 AND bucket<?3 GROUP BY waiter, holder, tag");
    if (!thinned)
        return tl::unexpected(thinned.error());
    if (!rows) {
        RS_TRY(m->noted("wait_pair", rows.error()));
        return std::vector<WaitCell>{};
    }
    std::int64_t first = std::max<std::int64_t>(firstStep, 0), end = std::min(lastStep, kMaxStep) + 1;
    // where single steps are gone the edges widen to the 16 steps that are kept together
    if (first < *thinned)
        first = first / kFanOut * kFanOut;
    if (end / kFanOut * kFanOut < *thinned)
        end = (end + kFanOut - 1) / kFanOut * kFanOut;
    std::map<std::tuple<int, int, std::string>, WaitCell> cells;
    for (const Cover& cover : coverSteps(first, end, kPairLevels - 1, kMaxStep)) {
        (*rows)->bind(1, cover.level).bind(2, cover.first).bind(3, cover.end);
        auto read = forEach(**rows, [&](const Statement& row) {
            const std::int64_t world = m->meta.worldSize;
            if (row.integer(0) < 0 || row.integer(0) >= world || row.integer(1) < 0 || row.integer(1) >= world)
                return m->noteImpossible("wait_pair");
            const int waiter = static_cast<int>(row.integer(0)), holder = static_cast<int>(row.integer(1));
            WaitCell& cell =
                cells.try_emplace({waiter, holder, row.text(2)}, WaitCell{waiter, holder, row.text(2)}).first->second;
            cell.waitNs = std::min(cell.waitNs + std::max<std::int64_t>(0, timeOf(row, 3)), kLatestNs);
            cell.collectives += std::clamp<std::int64_t>(row.integer(4), 0, kMaxStep);
        });
        if (!read)
            RS_TRY(m->noted("wait_pair", read.error()));
    }
    std::vector<WaitCell> result;
    for (auto& [key, cell] : cells)
        result.push_back(std::move(cell));
    return result;
}

Result<std::vector<Counter>> RunReader::counters() {
    std::vector<Counter> counters;
    RS_TRY(eachReadable(*m, "counter", "SELECT name, rank, value FROM counter ORDER BY name, rank LIMIT 100000",
                        [&](const Statement& row) {
                            const std::int64_t rank = row.integer(1);
                            if (rank < -1 || rank >= m->meta.worldSize || row.integer(2) < 0)
                                return m->noteImpossible("counter");
                            counters.push_back({row.text(0), static_cast<int>(rank), row.integer(2)});
                        }));
    return counters;
}

} // namespace rankscope::store
