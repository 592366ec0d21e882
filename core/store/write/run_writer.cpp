// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/run_writer.h"

#include "core/base/text/untrusted_json.h"
#include "core/store/tables/detector_input_rows.h"
#include "core/store/tables/incident_rows.h"
#include "core/store/tables/meta_table.h"
#include "core/store/tables/pyramid.h"
#include "core/store/tables/row_reading.h"
#include "core/store/tables/schema.h"
#include "core/store/write/batch_rows.h"
#include "core/store/write/ingest.h"
#include "core/store/write/retention.h"
#include "core/store/write/writable_store.h"
#include "core/store/write/writer_state.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace rankscope::store {

namespace fs = std::filesystem;

/// Steps of a rank become final at the latest this many steps later, even if others lag; later records trigger a
/// rewrite.
static constexpr std::int64_t kLongestLag = 1024;
/// A step becomes final this many steps later, so that late records rarely change a final step.
static constexpr std::int64_t kSettleSteps = 2;
static constexpr std::int64_t kThinSlice = 32;
static constexpr int kStackIncidents = 200; ///< newest incidents whose stacks are kept

struct RunWriter::Impl {
    Impl(const fs::path& path, Retention kept) : store(path), db(store.db()), retention(kept) {}

    Result<void> begin(const RunMeta* wanted);
    Result<void> inTransaction(const std::function<Result<void>()>& work);
    Result<void> load();

    Result<void> ingest(IngestBatch& round, std::span<const Chunk> chunks);
    void addPauses(std::span<const diagnosis::Transition> transitions);
    Result<void> writePositions(std::span<const Chunk> chunks);
    Result<void> writeIncidents(std::span<const diagnosis::Transition> transitions);
    Result<void> carry(const IngestBatch& round, bool all);
    Result<void> thin(std::int64_t newSteps);
    bool committed(const Chunk& chunk) const;

    WritableStore store;
    const Database& db;
    RunMeta meta;
    Retention retention;
    BatchWriter rows;
    PyramidWriter pyramid;
    DetailPruner thinner;
    IncidentWriter incidents;
    InputRowWriter inputs;
    WriterState state;
    bool stale = true;                              ///< the state must be reloaded
    std::int64_t incidentBase = 0;                  ///< ids of an earlier writer's incidents are not used again
    std::map<int, telemetry::JournalCounters> seen; ///< of the ranks' readers, at the last commit
};

Result<void> RunWriter::Impl::load() {
    RS_TRY(state.load(db, meta));
    RS_TRY(inputs.load(db));
    stale = false;
    return {};
}

Result<void> RunWriter::Impl::begin(const RunMeta* wanted) {
    RS_TRY_ASSIGN(auto transaction, Transaction::begin(db, Transaction::TransactionMode::Write));
    RS_TRY(migrate(db));
    RS_TRY(store.claim());
    RS_TRY_ASSIGN(auto has, readMeta(db));
    if (has.id.empty() && wanted) {
        RS_TRY(writeMeta(db, *wanted));
        for (int r = 0; r < wanted->worldSize; ++r)
            RS_TRY(db.execute(fmt::format("INSERT INTO rank(rank) VALUES({})", r).c_str()));
        meta = *wanted;
    } else if (has.id.empty()) {
        return fail(Errc::Malformed, "contains no run", store.file().string());
    } else if (wanted && wanted->id != has.id) {
        return fail(Errc::BadInput, {"belongs to run {}, not {}", has.id, wanted->id}, store.file().string());
    } else {
        meta = has;
    }
    RS_TRY(setMeta(db, "retention_newest_steps", retention.newestSteps));
    RS_TRY(setMeta(db, "retention_around_incident_steps", retention.aroundIncidentSteps));
    RS_TRY(transaction.commit());
    store.setClaimed();
    RS_TRY(rows.prepare(db));
    RS_TRY(pyramid.prepare(db));
    RS_TRY(thinner.prepare(db));
    RS_TRY(incidents.prepare(db));
    RS_TRY(inputs.prepare(db, retention.inputBytes));
    RS_TRY(load());
    incidentBase = state.incidents.empty() ? 0 : state.incidents.rbegin()->first;
    return {};
}

/// Runs `work` in a transaction. If it fails, the state in memory is reloaded before the next transaction.
Result<void> RunWriter::Impl::inTransaction(const std::function<Result<void>()>& work) {
    if (stale)
        RS_TRY(load());
    stale = true;
    RS_TRY_ASSIGN(auto transaction, Transaction::begin(db, Transaction::TransactionMode::Write));
    RS_TRY(work());
    RS_TRY(transaction.commit());
    state.joiner.rowsStored();
    state.tags.firstNew = state.tags.next();
    stale = false;
    store.keepPace();
    return {};
}

/// Returns whether the chunk's records are already stored: a commit whose answer was lost is requested again.
bool RunWriter::Impl::committed(const Chunk& chunk) const {
    if (chunk.after == telemetry::JournalPosition{})
        return false; // not from a journal
    const auto& has = state.ranks[static_cast<std::size_t>(chunk.rank)].position;
    return std::pair(chunk.after.segment, chunk.after.slot) <= std::pair(has.segment, has.slot);
}

Result<void> RunWriter::Impl::ingest(IngestBatch& round, std::span<const Chunk> chunks) {
    Ingest ingest(round, state, meta.startNs);
    for (const Chunk& chunk : chunks) {
        if (!committed(chunk)) {
            round.count("records", chunk.rank, static_cast<std::int64_t>(chunk.records.size()));
            for (const telemetry::AnyRecord& record : chunk.records)
                ingest.add(chunk.rank, record);
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
    return ingest.addWaits(state.counter);
}

Result<void> RunWriter::Impl::writePositions(std::span<const Chunk> chunks) {
    RS_TRY_ASSIGN(auto upsert, db.prepare("INSERT INTO journal_position VALUES(?1,?2,?3) ON CONFLICT DO UPDATE SET "
                                          "segment=excluded.segment, slot=excluded.slot"));
    for (const Chunk& chunk : chunks) {
        if (chunk.after == telemetry::JournalPosition{} || committed(chunk))
            continue;
        RS_TRY(upsert.runWith(chunk.rank, chunk.after.segment, chunk.after.slot));
        state.ranks[static_cast<std::size_t>(chunk.rank)].position = chunk.after;
    }
    return {};
}

/// Adds the pauses that have ended.
void RunWriter::Impl::addPauses(std::span<const diagnosis::Transition> transitions) {
    for (const diagnosis::Transition& transition : transitions)
        if (const diagnosis::Incident& in = transition.incident;
            in.cause == diagnosis::Cause::Paused && in.closed != diagnosis::CloseReason::Open)
            state.counter.addPause({in.openedNs - meta.startNs, in.closedNs - meta.startNs});
}

Result<void> RunWriter::Impl::writeIncidents(std::span<const diagnosis::Transition> transitions) {
    for (const diagnosis::Transition& transition : transitions) {
        const diagnosis::Incident& incident = transition.incident;
        const std::int64_t id = incident.id + incidentBase;
        const std::int64_t last = std::max(state.newestStep(), incident.step);
        RS_TRY(incidents.write(id, incident, last, meta.startNs));
        state.incidents[id] = {incident.step, last, incident.closed == diagnosis::CloseReason::Open};
    }
    return {};
}

/// Returns the newest step of a rank for which no more records are expected.
static std::int64_t finalStep(const RankProgress& rank, std::int64_t slowest) {
    const std::int64_t own = rank.ended ? rank.lastStep : rank.lastStep - kSettleSteps;
    return std::max({rank.finalStep, std::min(own, slowest - kSettleSteps), rank.lastStep - kLongestLag});
}

Result<void> RunWriter::Impl::carry(const IngestBatch& round, bool all) {
    std::set<std::pair<int, std::int64_t>> redone; // by rank and bucket of level 1
    for (const auto& [key, delta] : round.steps) {
        const std::int64_t final = state.ranks[static_cast<std::size_t>(key.first)].finalStep;
        if (key.second <= final && redone.insert({key.first, key.second / kFanOut}).second)
            RS_TRY(pyramid.redo(key.first, key.second, final));
    }
    if (!redone.empty()) // readers that cache final steps read them again
        RS_TRY(rows.count("revised_groups", -1, static_cast<std::int64_t>(redone.size())));
    const std::int64_t slowest = state.slowestStep();
    for (int r = 0; r < meta.worldSize; ++r) {
        RankProgress& rank = state.ranks[static_cast<std::size_t>(r)];
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

/// Thins a bounded number of steps per commit: twice as many as were added, and at least kThinSlice.
Result<void> RunWriter::Impl::thin(std::int64_t newSteps) {
    const std::int64_t border = state.newestStep() - retention.newestSteps + 1;
    const std::int64_t end = std::min(border, state.firstDetailedStep + std::max(kThinSlice, 2 * newSteps));
    if (end <= state.firstDetailedStep)
        return {};
    std::vector<StepRange> kept;
    for (const auto& [id, incident] : state.incidents)
        if (incident.step >= 0)
            kept.push_back(
                keptAround(incident.step, incident.open ? state.newestStep() : incident.lastStep, retention));
    RS_TRY_ASSIGN(auto removed, thinner.remove(without({state.firstDetailedStep, end}, std::move(kept))));
    if (removed.collectives > 0)
        RS_TRY(rows.count("thinned_collectives", -1, removed.collectives));
    if (removed.phases > 0)
        RS_TRY(rows.count("thinned_phases", -1, removed.phases));
    state.firstDetailedStep = end;
    return setMeta(db, "thinned_to", end);
}

Result<RunWriter> RunWriter::open(const fs::path& file, const RunMeta& meta, Retention retention) {
    if (meta.id.empty() || meta.worldSize < 1 || meta.worldSize > telemetry::kMaxRanks)
        return fail(Errc::BadInput, {"a run needs an id and 1 to {} ranks", telemetry::kMaxRanks}, file.string());
    auto impl = makeHidden<Impl>(file, retention);
    RS_TRY(impl->store.open(true));
    RS_TRY(impl->begin(&meta));
    return RunWriter(std::move(impl));
}

Result<RunWriter> RunWriter::reopen(const fs::path& file, Retention retention) {
    auto impl = makeHidden<Impl>(file, retention);
    RS_TRY(impl->store.open(false));
    RS_TRY(impl->begin(nullptr));
    return RunWriter(std::move(impl));
}

const RunMeta& RunWriter::meta() const {
    return m->meta;
}

Result<void> RunWriter::checkInPlace() const {
    return m->store.checkInPlace();
}

void RunWriter::abandon() {
    m->store.abandon();
}

Result<RunWriter> RunWriter::writeAnew() {
    RS_TRY(m->store.writeCopy());
    return open(m->store.file(), m->meta, m->retention);
}

std::int64_t RunWriter::rowsChanged() const {
    return sqlite3_total_changes64(m->db.handle());
}

Result<telemetry::JournalPosition> RunWriter::position(int rank) const {
    if (rank < 0 || rank >= m->meta.worldSize)
        return fail(Errc::BadInput, {"there is no rank {}", rank}, m->store.file().string());
    if (m->stale)
        RS_TRY(m->load());
    return m->state.ranks[static_cast<std::size_t>(rank)].position;
}

Result<void> RunWriter::commit(std::span<const Chunk> chunks, std::span<const diagnosis::Transition> transitions,
                               std::span<const diagnosis::RecordingChunk> input) {
    for (const Chunk& chunk : chunks)
        if (chunk.rank < 0 || chunk.rank >= m->meta.worldSize)
            return fail(Errc::BadInput, {"there is no rank {}", chunk.rank}, m->store.file().string());
    IngestBatch round;
    const auto work = [&]() -> Result<void> {
        const std::int64_t before = m->state.newestStep();
        m->addPauses(transitions);
        RS_TRY(m->ingest(round, chunks));
        RS_TRY(m->rows.write(round, m->state.tags, m->meta.startNs));
        RS_TRY(m->writePositions(chunks));
        RS_TRY(m->writeIncidents(transitions));
        RS_TRY(m->inputs.write(input, m->meta.startNs));
        if (!input.empty())
            RS_TRY(m->inputs.thin());
        RS_TRY(m->carry(round, false));
        return m->thin(m->state.newestStep() - before);
    };
    RS_TRY(m->inTransaction(work));
    for (const Chunk& chunk : chunks)
        m->seen[chunk.rank] = chunk.counters;
    return {};
}

Result<void> RunWriter::finish() {
    const auto work = [&]() -> Result<void> {
        RS_TRY(m->carry(IngestBatch{}, true));
        // incidents that the supervisor could not close: each lasted at least until its last update
        RS_TRY_ASSIGN(auto close,
                      m->db.prepare("UPDATE incident SET closed_ns=max(detected_ns, ?1, opened_ns + CASE WHEN "
                                    "json_valid(evidence) THEN CAST(1e9 * min(CAST(coalesce(json_extract(evidence, "
                                    "'$.lasted_s'), 0) AS REAL), 1e8) AS INTEGER) ELSE 0 END), close_reason=?2 "
                                    "WHERE closed_ns IS NULL"));
        std::int64_t last = 0;
        for (const RankProgress& rank : m->state.ranks)
            last = std::max(last, rank.lastNs);
        RS_TRY(close.runWith(last, diagnosis::CloseReason::RunEnded));
        for (auto& [id, incident] : m->state.incidents)
            incident.open = false;
        return {};
    };
    RS_TRY(m->inTransaction(work));
    // readers may keep the log open; then it is merged at the next opening and nothing is lost
    (void)m->db.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    return {};
}

static std::string messageText(const Message& message) {
    return message.pattern().empty() ? std::string()
                                     : message.toJson().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

static Message messageFrom(const std::string& text, std::string english) {
    const auto json = readJson(text);
    return json ? Message::fromJson(*json, std::move(english)) : Message(std::move(english));
}

Result<void> RunWriter::end(const RunEnding& ending, telemetry::NoteSeverity severity, const std::string& text,
                            std::int64_t atNs) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY(setMetaText(m->db, "end_state", ending.state));
        RS_TRY(setMetaText(m->db, "end_cause", ending.cause.english()));
        RS_TRY(setMetaText(m->db, "end_cause_message", messageText(ending.cause)));
        RS_TRY(setMeta(m->db, "end_exit_code", ending.exitCode));
        RS_TRY(setMeta(m->db, "end_realtime_ns", ending.realtimeNs));
        RS_TRY(setMetaText(m->db, "end_kind", ending.kind));
        RS_TRY(setMeta(m->db, "end_rank", ending.rank));
        RS_TRY(setMeta(m->db, "end_step", ending.step));
        return m->rows.note(-1, atNs - m->meta.startNs, -1, severity, text);
    });
}

Result<std::optional<RunEnding>> RunWriter::ending() const {
    RS_TRY_ASSIGN(auto state, getMetaText(m->db, "end_state"));
    RS_TRY_ASSIGN(auto cause, getMetaText(m->db, "end_cause"));
    RS_TRY_ASSIGN(const auto message, getMetaText(m->db, "end_cause_message"));
    RS_TRY_ASSIGN(const auto code, getMeta(m->db, "end_exit_code", 0));
    RS_TRY_ASSIGN(const auto realtime, getMeta(m->db, "end_realtime_ns", 0));
    RS_TRY_ASSIGN(auto kind, getMetaText(m->db, "end_kind"));
    RS_TRY_ASSIGN(const auto rank, getMeta(m->db, "end_rank", -1));
    RS_TRY_ASSIGN(const auto step, getMeta(m->db, "end_step", -1));
    if (state.empty())
        return std::optional<RunEnding>();
    return RunEnding{std::move(state),
                     messageFrom(message, std::move(cause)),
                     static_cast<int>(code),
                     realtime,
                     std::move(kind),
                     static_cast<int>(rank),
                     step};
}

Result<void> RunWriter::note(telemetry::NoteSeverity severity, const std::string& text, std::int64_t atNs) {
    return m->inTransaction([&] { return m->rows.note(-1, atNs - m->meta.startNs, -1, severity, text); });
}

Result<void> RunWriter::noteUnwatched(const diagnosis::TimeSpan& time, const std::string& text) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY(addUnwatched(m->db));
        RS_TRY_ASSIGN(auto insert, m->db.prepare("INSERT OR REPLACE INTO unwatched VALUES(?1,?2)"));
        RS_TRY(insert.runWith(time.beginNs - m->meta.startNs, time.endNs - m->meta.startNs));
        return m->rows.note(-1, time.endNs - m->meta.startNs, -1, telemetry::NoteSeverity::Warning, text);
    });
}

Result<void> RunWriter::stacks(std::span<const StackRow> rows) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY_ASSIGN(auto insert,
                      m->db.prepare("INSERT OR REPLACE INTO stack(incident,rank,thread,place,role,taken_ns,name,doing,"
                                    "frames,remark) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)"));
        for (const StackRow& r : rows)
            RS_TRY(insert.runWith(r.incident + m->incidentBase, r.rank, r.thread, r.place, r.role,
                                  r.takenNs - m->meta.startNs, r.name, r.doing, r.frames, r.remark));
        RS_TRY(m->db.execute(
            fmt::format("DELETE FROM stack WHERE incident <= (SELECT max(incident) FROM stack) - {}", kStackIncidents)
                .c_str()));
        if (const std::int64_t gone = m->db.changes(); gone > 0)
            return m->rows.count("thinned_stacks", -1, gone);
        return {};
    });
}

Result<void> RunWriter::facts(std::span<const FactRow> rows) {
    return m->inTransaction([&]() -> Result<void> {
        RS_TRY_ASSIGN(auto insert,
                      m->db.prepare("INSERT OR REPLACE INTO fact VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,"
                                    "?15)"));
        for (const FactRow& r : rows) {
            const auto& v = r.view;
            RS_TRY(insert.runWith(r.rank, r.timeNs - m->meta.startNs, ifKnown(v.cpuShare), ifKnown(v.cpuThrottledShare),
                                  ifKnown(v.rssBytes), ifKnown(v.swapBytes), ifKnown(v.majorFaultsPerSecond),
                                  ifKnown(v.writeBytesPerSecond), ifKnown(v.memoryUsedBytes),
                                  ifKnown(v.memoryLimitBytes), ifKnown(v.gpuUsedBytes), ifKnown(v.gpuTotalBytes),
                                  ifKnown(v.gpuClockShare), ifKnown(v.gpuTemperature), v.gpuThrottle));
        }
        return {};
    });
}

Result<void> RunWriter::import(std::span<const ImportedValue> values) {
    for (const ImportedValue& v : values)
        if (v.rank < 0 || v.rank >= m->meta.worldSize || v.step < 0 || v.step > kMaxStep || v.timeNs < 0)
            return fail(Errc::BadInput,
                        {"'{}': rank {}, step {}, {} ns is not a position in a run of {} ranks", v.tag, v.rank, v.step,
                         v.timeNs, m->meta.worldSize},
                        m->store.file().string());
    return m->inTransaction([&]() -> Result<void> {
        ImportWriter writer(m->db);
        for (const ImportedValue& v : values)
            RS_TRY(writer.take(v));
        return {};
    });
}

Result<void> RunWriter::finishImport() {
    const auto work = [&]() -> Result<void> {
        ImportWriter writer(m->db);
        for (int r = 0; r < m->meta.worldSize; ++r)
            RS_TRY(writer.finishRank(r));
        return {};
    };
    RS_TRY(m->inTransaction(work));
    m->stale = true; // reload the ranks' state
    return finish();
}

} // namespace rankscope::store
