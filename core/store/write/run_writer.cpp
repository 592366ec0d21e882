// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/run_writer.h"

#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/store/tables/meta_table.h"
#include "core/store/write/run_writer_impl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <set>

namespace rankscope::store {

namespace fs = std::filesystem;

/// A rank whose others are gone is not waited for longer than this many steps; what comes later is mended.
static constexpr std::int64_t kLongestLag = 1024;
/// Late records change a step that counted as final by at most this much.
static constexpr std::int64_t kSettleSteps = 2;
static constexpr std::int64_t kThinSlice = 32;
static constexpr std::int64_t kPaceLookNs = 1'000'000'000;
static constexpr std::int64_t kBusyRows = 50'000;         ///< between two looks
static constexpr int kLogPages = 1000, kBusyPages = 4000; ///< 8 and 32 MB

/// All or nothing: when it fails, what is in memory is read again before the next one.
Result<void> RunStore::Impl::inTransaction(const std::function<Result<void>()>& work) {
    if (stale)
        RS_TRY(load());
    stale = true;
    RS_TRY_ASSIGN(auto transaction, Transaction::begin(db, Transaction::Kind::Write));
    RS_TRY(work());
    RS_TRY(transaction.commit());
    joiner.rowsStored();
    tags.firstNew = tags.next();
    stale = false;
    keepPace();
    return {};
}

/// The cache is there for a run that writes much. One that does not would fill it over hours, which looks like a leak
/// and gives nothing. Where much is written a page changes again and again, and is carried from the log into the file
/// less often.
void RunStore::Impl::keepPace() {
    const std::int64_t nowNs = monotonicNs(), rowsNow = sqlite3_total_changes64(db.handle());
    if (nowNs - paceLookNs < kPaceLookNs)
        return;
    const bool busy = rowsNow - paceLookRows >= kBusyRows;
    if (!busy)
        sqlite3_db_release_memory(db.handle());
    sqlite3_wal_autocheckpoint(db.handle(), busy ? kBusyPages : kLogPages);
    paceLookNs = nowNs;
    paceLookRows = rowsNow;
}

/// A commit whose answer was lost is asked for again: its records are in already.
bool RunStore::Impl::committed(const Chunk& chunk) const {
    if (chunk.after == telemetry::JournalPosition{})
        return false; // not from a journal
    const auto& has = ranks[static_cast<std::size_t>(chunk.rank)].position;
    return std::pair(chunk.after.segment, chunk.after.slot) <= std::pair(has.segment, has.slot);
}

void RunStore::Impl::ingest(Round& round, std::span<const Chunk> chunks) {
    Ingest ingest(round, ranks, joiner, tags, meta.startNs);
    for (const Chunk& chunk : chunks) {
        if (!committed(chunk)) {
            round.count("records", chunk.rank, static_cast<std::int64_t>(chunk.records.size()));
            for (const telemetry::AnyRecord& record : chunk.records)
                ingest.take(chunk.rank, record);
        }
        telemetry::JournalCounters before;
        if (const auto at = seen.find(chunk.rank); at != seen.end() && at->second.records <= chunk.counters.records)
            before = at->second; // else: another reader
        const auto& now = chunk.counters;
        auto grown = [](std::uint64_t from, std::uint64_t to) {
            return static_cast<std::int64_t>(to > from ? to - from : 0);
        };
        round.count("malformed", chunk.rank, grown(before.malformed, now.malformed));
        round.count("unknown", chunk.rank, grown(before.unknown, now.unknown));
        round.count("torn", chunk.rank, grown(before.torn, now.torn));
        round.count("missing_segments", chunk.rank, grown(before.missingSegments, now.missingSegments));
    }
}

Result<void> RunStore::Impl::writePositions(std::span<const Chunk> chunks) {
    RS_TRY_ASSIGN(auto upsert, db.prepare("INSERT INTO journal_position VALUES(?1,?2,?3) ON CONFLICT DO UPDATE SET "
                                          "segment=excluded.segment, slot=excluded.slot"));
    for (const Chunk& chunk : chunks) {
        if (chunk.after == telemetry::JournalPosition{} || committed(chunk))
            continue;
        upsert.bind(1, chunk.rank).bind(2, static_cast<std::int64_t>(chunk.after.segment));
        RS_TRY(upsert.bind(3, static_cast<std::int64_t>(chunk.after.slot)).run());
        ranks[static_cast<std::size_t>(chunk.rank)].position = chunk.after;
    }
    return {};
}

Result<void> RunStore::Impl::writeIncidents(std::span<const diagnosis::Transition> transitions) {
    for (const diagnosis::Transition& transition : transitions) {
        const diagnosis::Incident& incident = transition.incident;
        const std::int64_t id = incident.id + incidentBase;
        const std::int64_t last = std::max(newestStep(), incident.step);
        RS_TRY(incidents.write(id, incident, last, meta.startNs));
        known[id] = {incident.step, last, incident.closed == diagnosis::CloseReason::Open};
    }
    return {};
}

std::int64_t RunStore::Impl::newestStep() const {
    std::int64_t newest = -1;
    for (const RankState& rank : ranks)
        newest = std::max(newest, rank.lastStep);
    return newest;
}

/// The last step of the rank that is furthest behind and has not ended.
std::int64_t RunStore::Impl::slowestStep() const {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const RankState& rank : ranks)
        if (!rank.ended)
            slowest = std::min(slowest, rank.lastStep);
    return slowest;
}

/// The newest step of a rank that no record is expected for any more.
static std::int64_t finalStep(const RankState& rank, std::int64_t slowest) {
    const std::int64_t own = rank.ended ? rank.lastStep : rank.lastStep - kSettleSteps;
    return std::max({rank.finalStep, std::min(own, slowest - kSettleSteps), rank.lastStep - kLongestLag});
}

Result<void> RunStore::Impl::carry(const Round& round, bool all) {
    std::set<std::pair<int, std::int64_t>> redone; // by rank and bucket of level 1
    for (const auto& [key, delta] : round.steps) {
        const std::int64_t final = ranks[static_cast<std::size_t>(key.first)].finalStep;
        if (key.second <= final && redone.insert({key.first, key.second / kFanOut}).second)
            RS_TRY(pyramid.redo(key.first, key.second, final));
    }
    if (!redone.empty()) // whoever keeps final steps reads them again
        RS_TRY(rows.count("revised_groups", -1, static_cast<std::int64_t>(redone.size())));
    const std::int64_t slowest = slowestStep();
    for (int r = 0; r < meta.worldSize; ++r) {
        RankState& rank = ranks[static_cast<std::size_t>(r)];
        std::int64_t final = finalStep(rank, slowest);
        if (all) {
            RS_TRY_ASSIGN(auto newest, db.scalar(fmt::format("SELECT max(step) FROM step WHERE rank={}", r)));
            final = std::max({final, rank.lastStep, newest});
        }
        if (final > rank.finalStep) {
            RS_TRY(pyramid.carry(r, rank.finalStep, final));
            rank.finalStep = final;
        }
        RS_TRY(rows.rank(r, rank));
    }
    return {};
}

/// A bounded slice of steps per commit: as many as came in, and some more.
Result<void> RunStore::Impl::thin(std::int64_t newSteps) {
    const std::int64_t border = newestStep() - retention.newestSteps + 1;
    const std::int64_t end = std::min(border, thinnedTo + std::max(kThinSlice, 2 * newSteps));
    if (end <= thinnedTo)
        return {};
    std::vector<StepRange> kept;
    for (const auto& [id, incident] : known)
        if (incident.step >= 0)
            kept.push_back(keptAround(incident.step, incident.open ? newestStep() : incident.lastStep, retention));
    RS_TRY_ASSIGN(auto removed, thinner.remove(without({thinnedTo, end}, std::move(kept))));
    if (removed.collectives > 0)
        RS_TRY(rows.count("thinned_collectives", -1, removed.collectives));
    if (removed.phases > 0)
        RS_TRY(rows.count("thinned_phases", -1, removed.phases));
    thinnedTo = end;
    return setMeta(db, "thinned_to", end);
}

RunStore::RunStore(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

Result<RunStore> RunStore::open(const fs::path& file, const RunMeta& meta, Retention retention) {
    if (meta.id.empty() || meta.worldSize < 1 || meta.worldSize > telemetry::kMaxRanks)
        return fail(Errc::BadInput, fmt::format("a run needs an id and 1 to {} ranks", telemetry::kMaxRanks),
                    file.string());
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->retention = retention;
    RS_TRY(impl->openFile(true));
    RS_TRY(impl->begin(&meta));
    return RunStore(std::move(impl));
}

Result<RunStore> RunStore::reopen(const fs::path& file, Retention retention) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->retention = retention;
    RS_TRY(impl->openFile(false));
    RS_TRY(impl->begin(nullptr));
    return RunStore(std::move(impl));
}

const RunMeta& RunStore::meta() const {
    return m->meta;
}

Result<void> RunStore::checkInPlace() const {
    struct stat now {};
    const bool there = ::fstatat(m->folder.get(), m->file.filename().c_str(), &now, 0) == 0;
    // a disk that gives no answer is no reason to give the file up
    if (m->inode == 0 || (there ? now.st_dev == m->device && now.st_ino == m->inode : errno != ENOENT))
        return {};
    return fail(Errc::NotFound,
                there ? "was replaced by another file while the run goes on" : "was removed while the run goes on",
                m->file.string());
}

void RunStore::abandon() {
    m->opened = false;
}

Result<RunStore> RunStore::writeAnew() {
    const std::string file = m->file.string();
    std::string aside = (m->file.parent_path() / fmt::format(".{}.XXXXXX.part", m->file.filename().string())).string();
    if (const UniqueFd fd(::mkostemps(aside.data(), 5, O_CLOEXEC)); !fd) // mode 0600; SQLite takes an empty file
        return tl::unexpected(systemError("write beside", file, errno));
    auto copy = m->db.prepare("VACUUM INTO ?1");
    auto copied = copy ? copy->bind(1, aside).run() : Result<void>(tl::unexpected(copy.error()));
    struct stat there {};
    if (copied && ::lstat(file.c_str(), &there) == 0)
        copied = fail(Errc::Busy, "was replaced by another file while the run goes on", file);
    abandon();
    if (copied) {
        Impl::removeCompanions(m->file);
        if (::rename(aside.c_str(), file.c_str()) != 0)
            copied = tl::unexpected(systemError("put back", file, errno));
    }
    if (!copied) {
        ::unlink(aside.c_str());
        return tl::unexpected(copied.error());
    }
    return open(m->file, m->meta, m->retention);
}

std::int64_t RunStore::rowsChanged() const {
    return sqlite3_total_changes64(m->db.handle());
}

Result<telemetry::JournalPosition> RunStore::position(int rank) const {
    if (rank < 0 || rank >= m->meta.worldSize)
        return fail(Errc::BadInput, fmt::format("there is no rank {}", rank), m->file.string());
    if (m->stale)
        RS_TRY(m->load());
    return m->ranks[static_cast<std::size_t>(rank)].position;
}

Result<void> RunStore::commit(std::span<const Chunk> chunks, std::span<const diagnosis::Transition> transitions,
                              std::span<const diagnosis::RecordedPiece> input) {
    for (const Chunk& chunk : chunks)
        if (chunk.rank < 0 || chunk.rank >= m->meta.worldSize)
            return fail(Errc::BadInput, fmt::format("there is no rank {}", chunk.rank), m->file.string());
    Round round;
    const auto work = [&]() -> Result<void> {
        const std::int64_t before = m->newestStep();
        m->ingest(round, chunks);
        RS_TRY(m->rows.write(round, m->tags, m->meta.startNs));
        RS_TRY(m->writePositions(chunks));
        RS_TRY(m->writeIncidents(transitions));
        RS_TRY(m->inputs.write(input, m->meta.startNs));
        if (!input.empty())
            RS_TRY(m->inputs.thin());
        RS_TRY(m->carry(round, false));
        return m->thin(m->newestStep() - before);
    };
    RS_TRY(m->inTransaction(work));
    for (const Chunk& chunk : chunks)
        m->seen[chunk.rank] = chunk.counters;
    return {};
}

Result<void> RunStore::finish() {
    const auto work = [&]() -> Result<void> {
        RS_TRY(m->carry(Round{}, true));
        // an incident that its supervisor could not close
        auto close = m->db.prepare("UPDATE incident SET closed_ns=max(detected_ns,?1), close_reason=?2 WHERE closed_ns "
                                   "IS NULL");
        if (!close)
            return tl::unexpected(close.error());
        std::int64_t last = 0;
        for (const RankState& rank : m->ranks)
            last = std::max(last, rank.lastNs);
        RS_TRY(close->bind(1, last).bind(2, static_cast<int>(diagnosis::CloseReason::RunEnded)).run());
        for (auto& [id, incident] : m->known)
            incident.open = false;
        return {};
    };
    RS_TRY(m->inTransaction(work));
    // readers may hold the log open: then it is left for the next opening, nothing is lost
    (void)m->db.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    return {};
}

Result<void> RunStore::end(const RunEnding& ending, telemetry::Severity severity, const std::string& text,
                           std::int64_t atNs) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY(setMetaText(m->db, "end_state", ending.state));
        RS_TRY(setMetaText(m->db, "end_cause", ending.cause));
        RS_TRY(setMeta(m->db, "end_exit_code", ending.exitCode));
        RS_TRY(setMeta(m->db, "end_realtime_ns", ending.realtimeNs));
        return m->rows.note(-1, atNs - m->meta.startNs, -1, severity, text);
    });
}

Result<std::optional<RunEnding>> RunStore::ending() const {
    auto state = getMetaText(m->db, "end_state");
    auto cause = getMetaText(m->db, "end_cause");
    auto code = getMeta(m->db, "end_exit_code", 0);
    auto realtime = getMeta(m->db, "end_realtime_ns", 0);
    if (!state || !cause)
        return tl::unexpected(state ? cause.error() : state.error());
    if (!code || !realtime)
        return tl::unexpected(code ? realtime.error() : code.error());
    if (state->empty())
        return std::optional<RunEnding>();
    return RunEnding{std::move(*state), std::move(*cause), static_cast<int>(*code), *realtime};
}

Result<void> RunStore::note(telemetry::Severity severity, const std::string& text, std::int64_t atNs) {
    return m->inTransaction([&] { return m->rows.note(-1, atNs - m->meta.startNs, -1, severity, text); });
}

} // namespace rankscope::store
