// SPDX-License-Identifier: Apache-2.0
#include "core/store/run_reader.h"

#include "core/store/explain_waits.h"
#include "core/store/incident_rows.h"
#include "core/store/input_rows.h"
#include "core/store/meta.h"
#include "core/store/reader_impl.h"
#include "core/store/round.h"
#include "core/store/schema.h"

#include <algorithm>
#include <limits>

namespace rankscope::store {

namespace fs = std::filesystem;

Result<Statement*> RunReader::Impl::statement(std::string_view sql) {
    auto at = statements.find(sql);
    if (at == statements.end()) {
        auto prepared = db.prepare(sql);
        if (!prepared)
            return tl::unexpected(prepared.error());
        at = statements.emplace(std::string(sql), std::move(*prepared)).first;
    }
    at->second.reset();
    return &at->second;
}

RunReader::RunReader(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

/// A store on a read-only medium: SQLite needs a place for the log's index unless it is told that nobody writes.
static Result<Database> openImmutable(const fs::path& file, const Error& why) {
    std::error_code ec;
    const auto log = fs::file_size(file.string() + "-wal", ec);
    if (!ec && log > 0)
        return fail(why.code,
                    "its last changes are still in run.sqlite-wal, which cannot be used here: copy the run's folder to "
                    "a place that you may write to, and open it there (" +
                        why.what + ")",
                    file.string());
    return Database::open(file, OpenMode::Immutable);
}

static Result<Database> openForReading(const fs::path& file) {
    std::error_code ec;
    if (!fs::exists(file, ec))
        return ec ? fail(Errc::Permission, "may not be read: " + ec.message(), file.string())
                  : fail(Errc::NotFound, "there is no store", file.string());
    auto db = Database::open(file, OpenMode::ReadOnly);
    if (!db)
        return db;
    if (auto probe = db->scalar("PRAGMA user_version"); !probe)
        return probe.error().code == Errc::Permission || probe.error().code == Errc::NotFound
                   ? openImmutable(file, probe.error())
                   : tl::unexpected(probe.error());
    return db;
}

Result<RunReader> RunReader::open(const fs::path& file) {
    auto db = openForReading(file);
    if (!db)
        return tl::unexpected(db.error());
    RS_TRY(checkSchema(*db));
    auto meta = readMeta(*db);
    if (!meta)
        return tl::unexpected(meta.error());
    if (meta->id.empty())
        return fail(Errc::Malformed, "has no run in it", file.string());
    auto impl = std::make_unique<Impl>();
    impl->db = std::move(*db);
    impl->meta = std::move(*meta);
    return RunReader(std::move(impl));
}

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

Result<std::vector<RankSummary>> RunReader::ranks() {
    auto rows = m->statement("SELECT rank, host, device, first_step, last_step, last_ns, last_loss, ended, end_cause, "
                             "exit_code, weights_hash, end_text, waited_ns, held_ns FROM rank ORDER BY rank");
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<RankSummary> ranks;
    RS_TRY(forEach(**rows, [&](const Statement& row) {
        RankSummary r;
        r.rank = static_cast<int>(row.integer(0));
        r.host = row.text(1);
        r.device = row.text(2);
        r.firstStep = row.integer(3);
        r.lastStep = row.integer(4);
        r.lastNs = row.integer(5);
        r.lastLoss = row.isNull(6) ? std::numeric_limits<double>::quiet_NaN() : row.real(6);
        r.ended = row.integer(7) != 0;
        r.endCause = static_cast<telemetry::EndCause>(std::clamp<std::int64_t>(row.integer(8), 0, 2));
        r.exitCode = static_cast<int>(row.integer(9));
        r.weightsHash = static_cast<std::uint64_t>(row.integer(10));
        r.endText = row.text(11);
        r.waitedNs = row.integer(12);
        r.heldNs = row.integer(13);
        ranks.push_back(std::move(r));
    }));
    return ranks;
}

Result<std::vector<diagnosis::Incident>> RunReader::incidents() {
    return readIncidents(m->db, m->meta.startNs);
}

Result<void>
RunReader::detectorInput(const std::function<Result<void>(const diagnosis::RecordedPiece&)>& take) {
    auto has = m->db.scalar("SELECT count(*) FROM sqlite_master WHERE name='detector_input'");
    if (!has)
        return tl::unexpected(has.error());
    return *has != 0 ? readInput(m->db, m->meta.startNs, take) : Result<void>{};
}

Result<std::vector<Note>> RunReader::notes(std::int64_t afterId, int limit) {
    auto rows =
        m->statement("SELECT id, rank, time_ns, step, severity, text FROM note WHERE id>?1 ORDER BY id LIMIT ?2");
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<Note> notes;
    RS_TRY(forEach((*rows)->bind(1, afterId).bind(2, std::max(limit, 0)), [&](const Statement& row) {
        const auto severity = static_cast<telemetry::Severity>(std::clamp<std::int64_t>(row.integer(4), 0, 3));
        notes.push_back(
            {row.integer(0), static_cast<int>(row.integer(1)), row.integer(2), row.integer(3), severity, row.text(5)});
    }));
    return notes;
}

/// SQLite keeps NaN as NULL.
static double finite(const Statement& row, int column) {
    return row.isNull(column) ? std::numeric_limits<double>::quiet_NaN() : row.real(column);
}

Result<std::vector<ValidationRow>> RunReader::validations(std::int64_t afterStep, int limit) {
    auto known = hasValidations(m->db);
    if (!known || !*known)
        return known ? Result<std::vector<ValidationRow>>{std::vector<ValidationRow>{}} : tl::unexpected(known.error());
    auto rows = m->statement("SELECT rank, step, begin_ns, end_ns, loss, local_loss, batches FROM validation WHERE "
                             "step>?1 ORDER BY step, rank, begin_ns LIMIT ?2");
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<ValidationRow> result;
    RS_TRY(forEach((*rows)->bind(1, afterStep).bind(2, std::max(limit, 0)), [&](const Statement& row) {
        result.push_back({static_cast<int>(row.integer(0)), row.integer(1), row.integer(2), row.integer(3),
                          finite(row, 4), finite(row, 5), row.integer(6)});
    }));
    return result;
}

Result<std::vector<CheckRow>> RunReader::checks() {
    auto known = hasTable(m->db, "rank_check");
    if (!known || !*known)
        return known ? Result<std::vector<CheckRow>>{std::vector<CheckRow>{}} : tl::unexpected(known.error());
    auto rows = m->statement("SELECT rank, name, status, stops, text, time_ns FROM rank_check ORDER BY time_ns, rank "
                             "LIMIT 100000");
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<CheckRow> result;
    RS_TRY(forEach(**rows, [&](const Statement& row) {
        const auto status = std::clamp<std::int64_t>(row.integer(2), 0, 2);
        result.push_back({static_cast<int>(row.integer(0)), row.text(1), static_cast<telemetry::CheckStatus>(status),
                          row.integer(3) != 0, row.text(4), row.integer(5)});
    }));
    return result;
}

/// The steps that waits between ranks are kept for one by one begin here, but for those around incidents.
Result<std::int64_t> thinnedTo(RunReader::Impl& m) {
    auto rows = m.statement("SELECT value FROM meta WHERE key='thinned_to'");
    if (!rows)
        return tl::unexpected(rows.error());
    std::int64_t to = 0;
    RS_TRY(forEach(**rows, [&](const Statement& row) { to = row.integer(0); }));
    return to;
}

Result<std::vector<WaitCell>> RunReader::waits(std::int64_t firstStep, std::int64_t lastStep) {
    auto snapshot = Transaction::begin(m->db, Transaction::Kind::Read);
    if (!snapshot)
        return tl::unexpected(snapshot.error());
    auto thinned = thinnedTo(*m);
    auto rows = m->statement("SELECT waiter, holder, tag, sum(wait_ns), sum(collectives) FROM wait_pair WHERE level=?1 "
                             "AND bucket>=?2 AND bucket<?3 GROUP BY waiter, holder, tag");
    if (!thinned || !rows)
        return tl::unexpected(thinned ? rows.error() : thinned.error());
    std::int64_t first = std::max<std::int64_t>(firstStep, 0), end = std::min(lastStep, kMaxStep) + 1;
    // where single steps are gone the edges widen to the 16 steps that are kept together
    if (first < *thinned)
        first = first / kFanOut * kFanOut;
    if (end / kFanOut * kFanOut < *thinned)
        end = (end + kFanOut - 1) / kFanOut * kFanOut;
    std::map<std::tuple<int, int, std::string>, WaitCell> cells;
    for (const Cover& cover : coverSteps(first, end, kPairLevels - 1, kMaxStep)) {
        (*rows)->bind(1, cover.level).bind(2, cover.first).bind(3, cover.end);
        RS_TRY(forEach(**rows, [&](const Statement& row) {
            const int waiter = static_cast<int>(row.integer(0)), holder = static_cast<int>(row.integer(1));
            WaitCell& cell =
                cells.try_emplace({waiter, holder, row.text(2)}, WaitCell{waiter, holder, row.text(2)}).first->second;
            cell.waitNs += row.integer(3);
            cell.collectives += row.integer(4);
        }));
    }
    std::vector<WaitCell> result;
    for (auto& [key, cell] : cells)
        result.push_back(std::move(cell));
    return result;
}

Result<std::vector<Counter>> RunReader::counters() {
    auto rows = m->statement("SELECT name, rank, value FROM counter ORDER BY name, rank LIMIT 100000");
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<Counter> counters;
    RS_TRY(forEach(**rows, [&](const Statement& row) {
        counters.push_back({row.text(0), static_cast<int>(row.integer(1)), row.integer(2)});
    }));
    return counters;
}

} // namespace rankscope::store
