// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/schema.h"

#include "core/base/values/result.h"
#include "core/store/tables/detector_input_rows.h"
#include "core/store/tables/metrics.h"
#include "core/telemetry/format/records.h"

#include <fmt/format.h>

#include <array>

namespace rankscope::store {

namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE phase_name(phase INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE op_name(op INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE metric_name(metric INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE rank(
  rank INTEGER PRIMARY KEY, host TEXT, device TEXT, pid INTEGER, local_rank INTEGER, config_hash INTEGER,
  anchor_monotonic_ns INTEGER, anchor_realtime_ns INTEGER,
  first_step INTEGER NOT NULL DEFAULT -1, last_step INTEGER NOT NULL DEFAULT -1, last_ns INTEGER NOT NULL DEFAULT 0,
  last_loss REAL, ended INTEGER NOT NULL DEFAULT 0, end_cause INTEGER, exit_code INTEGER, weights_hash INTEGER,
  end_text TEXT, waited_ns INTEGER NOT NULL DEFAULT 0, held_ns INTEGER NOT NULL DEFAULT 0,
  final_step INTEGER NOT NULL DEFAULT -1);
CREATE TABLE collective(
  step INTEGER NOT NULL, group_id INTEGER NOT NULL, sequence INTEGER NOT NULL, rank INTEGER NOT NULL,
  op INTEGER NOT NULL, tag INTEGER NOT NULL, dtype INTEGER NOT NULL, count INTEGER NOT NULL, failed INTEGER NOT NULL,
  phase INTEGER NOT NULL, arrived_ns INTEGER NOT NULL, started_ns INTEGER NOT NULL, done_ns INTEGER NOT NULL,
  exposed_ns INTEGER NOT NULL, wait_ns INTEGER, holder INTEGER,
  PRIMARY KEY(step, group_id, sequence, rank)) WITHOUT ROWID;
CREATE INDEX collective_unjoined ON collective(group_id, sequence) WHERE wait_ns IS NULL;
CREATE TABLE phase(
  step INTEGER NOT NULL, rank INTEGER NOT NULL, begin_ns INTEGER NOT NULL, phase INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, PRIMARY KEY(step, rank, begin_ns, phase)) WITHOUT ROWID;
CREATE TABLE note(
  id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, time_ns INTEGER NOT NULL, step INTEGER NOT NULL,
  severity INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE incident(
  id INTEGER PRIMARY KEY, cause TEXT NOT NULL, phase INTEGER NOT NULL, holders TEXT NOT NULL, waiters TEXT NOT NULL,
  tag TEXT, op INTEGER, group_id INTEGER, sequence INTEGER, step INTEGER NOT NULL, last_step INTEGER NOT NULL,
  straggler INTEGER NOT NULL, opened_ns INTEGER NOT NULL, detected_ns INTEGER NOT NULL, closed_ns INTEGER,
  close_reason INTEGER NOT NULL, remedy_text TEXT NOT NULL, remedy_key TEXT NOT NULL, remedy_value TEXT NOT NULL,
  evidence TEXT NOT NULL);
CREATE TABLE counter(
  name TEXT NOT NULL, rank INTEGER NOT NULL, value INTEGER NOT NULL, PRIMARY KEY(name, rank)) WITHOUT ROWID;
CREATE TABLE resource(
  rank INTEGER NOT NULL, time_ns INTEGER NOT NULL, step INTEGER NOT NULL, rss_bytes INTEGER, cpu_ns INTEGER,
  gpu_bytes INTEGER, gpu_percent INTEGER, threads INTEGER, PRIMARY KEY(rank, time_ns)) WITHOUT ROWID;
CREATE TABLE journal_position(rank INTEGER PRIMARY KEY, segment INTEGER NOT NULL, slot INTEGER NOT NULL);
CREATE TABLE pyramid(
  rank INTEGER NOT NULL, metric INTEGER NOT NULL, level INTEGER NOT NULL, bucket INTEGER NOT NULL,
  first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
  count INTEGER NOT NULL, not_finite INTEGER NOT NULL, min REAL, max REAL, mean REAL,
  PRIMARY KEY(rank, metric, level, bucket)) WITHOUT ROWID;
CREATE TABLE wait_pair(
  level INTEGER NOT NULL, bucket INTEGER NOT NULL, waiter INTEGER NOT NULL, holder INTEGER NOT NULL,
  tag TEXT NOT NULL, wait_ns INTEGER NOT NULL, collectives INTEGER NOT NULL,
  PRIMARY KEY(level, bucket, waiter, holder, tag)) WITHOUT ROWID;
)sql";

std::string stepTable() {
    std::string sql =
        "CREATE TABLE step(rank INTEGER NOT NULL, step INTEGER NOT NULL, epoch INTEGER, flags INTEGER NOT "
        "NULL, complete INTEGER NOT NULL, not_finite INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns "
        "INTEGER NOT NULL";
    for (const MetricInfo& metric : metrics())
        sql += fmt::format(", {} REAL", metric.column);
    return sql + ", PRIMARY KEY(rank, step)) WITHOUT ROWID;";
}

std::string nameRows() {
    using telemetry::CollectiveOp;
    using telemetry::Phase;
    std::string sql;
    for (int i = 0; i < static_cast<int>(Phase::Count); ++i)
        sql += fmt::format("INSERT INTO phase_name VALUES({},'{}');", i, phaseName(static_cast<Phase>(i)));
    for (int i = 0; i < static_cast<int>(CollectiveOp::Count); ++i)
        sql += fmt::format("INSERT INTO op_name VALUES({},'{}');", i, opName(static_cast<CollectiveOp>(i)));
    for (const MetricInfo& metric : metrics())
        sql += fmt::format("INSERT INTO metric_name VALUES({},'{}');", static_cast<int>(metric.metric), metric.column);
    return sql;
}

Result<void> createTables(const Database& db) {
    RS_TRY(db.execute(kTables));
    RS_TRY(db.execute(stepTable().c_str()));
    return db.execute(nameRows().c_str());
}

Result<void> addValidation(const Database& db) {
    return db.execute(
        "CREATE TABLE validation(rank INTEGER NOT NULL, step INTEGER NOT NULL, begin_ns INTEGER NOT NULL, "
        "end_ns INTEGER NOT NULL, epoch INTEGER NOT NULL, loss REAL, local_loss REAL, batches INTEGER NOT "
        "NULL, unmasked INTEGER NOT NULL, masked_frames INTEGER NOT NULL, "
        "PRIMARY KEY(rank, step, begin_ns)) WITHOUT ROWID");
}

Result<void> addChecks(const Database& db) {
    return db.execute("CREATE TABLE rank_check(rank INTEGER NOT NULL, name TEXT NOT NULL, status INTEGER NOT NULL, "
                      "stops INTEGER NOT NULL, text TEXT NOT NULL, time_ns INTEGER NOT NULL, "
                      "PRIMARY KEY(rank, name)) WITHOUT ROWID");
}

/// Native stacks of ranks in incidents; thread 0: the rank could not be inspected.
Result<void> addStacks(const Database& db) {
    return db.execute("CREATE TABLE stack(incident INTEGER NOT NULL, rank INTEGER NOT NULL, thread INTEGER NOT NULL, "
                      "place INTEGER NOT NULL, role TEXT NOT NULL, taken_ns INTEGER NOT NULL, name TEXT NOT NULL, "
                      "doing TEXT NOT NULL, frames TEXT NOT NULL, remark TEXT NOT NULL, "
                      "PRIMARY KEY(incident, rank, thread)) WITHOUT ROWID");
}

/// Measurements of each rank by the supervisor, which the rank itself cannot take.
Result<void> addFacts(const Database& db) {
    return db.execute("CREATE TABLE fact(rank INTEGER NOT NULL, time_ns INTEGER NOT NULL, cpu_share REAL, "
                      "cpu_throttled_share REAL, rss_bytes INTEGER, swap_bytes INTEGER, major_faults_per_second REAL, "
                      "write_bytes_per_second REAL, memory_used_bytes INTEGER, memory_limit_bytes INTEGER, "
                      "gpu_used_bytes INTEGER, gpu_total_bytes INTEGER, gpu_clock_share REAL, gpu_temperature REAL, "
                      "gpu_throttle TEXT, PRIMARY KEY(rank, time_ns)) WITHOUT ROWID");
}

Result<void> toVersion3(const Database& db) {
    RS_TRY(addDetectorInput(db));
    RS_TRY(addStacks(db));
    RS_TRY(addChecks(db));
    return addFacts(db);
}

using Migration = Result<void> (*)(const Database&);
/// Element v turns version v into v + 1. Released elements are never changed; new versions are appended.
constexpr std::array<Migration, kSchemaVersion> kMigrations{createTables, addValidation, toVersion3};

} // namespace

Result<int> storeVersion(const Database& db) {
    RS_TRY_ASSIGN(const auto application, db.scalar("PRAGMA application_id"));
    RS_TRY_ASSIGN(const auto version, db.scalar("PRAGMA user_version"));
    if (application != kApplicationId)
        return fail(Errc::Malformed, "is not a Rankscope store: it is a database of another program",
                    db.error(0).where);
    if (version < 1)
        return fail(Errc::Malformed, {"has an impossible schema version, {}", version}, db.error(0).where);
    return static_cast<int>(version);
}

Result<void> checkSchema(const Database& db) {
    RS_TRY_ASSIGN(auto version, storeVersion(db));
    if (version > kSchemaVersion)
        return fail(Errc::Unsupported,
                    {"was written by a newer Rankscope (schema {}; this one reads up to {}): open it with that version",
                     version, kSchemaVersion},
                    db.error(0).where);
    return {};
}

std::vector<std::string_view> tablesOf(int version) {
    std::vector<std::string_view> tables{
        "meta",     "tag",     "rank",      "collective", "phase",           "note", "incident", "counter",
        "resource", "pyramid", "wait_pair", "step",       "journal_position"};
    if (version >= 2)
        tables.emplace_back("validation");
    if (version >= 3)
        tables.insert(tables.end(), {"detector_input", "rank_check", "stack", "fact"});
    return tables;
}

Result<bool> hasTable(const Database& db, std::string_view name) {
    RS_TRY_ASSIGN(const auto found, db.scalar(fmt::format("SELECT count(*) FROM sqlite_master WHERE type='table' AND "
                                                          "name='{}'",
                                                          name)));
    return found > 0;
}

Result<void> addScalars(const Database& db) {
    return db.execute("CREATE TABLE IF NOT EXISTS scalar_tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
                      "CREATE TABLE IF NOT EXISTS scalar(rank INTEGER NOT NULL, tag INTEGER NOT NULL, step INTEGER "
                      "NOT NULL, time_ns INTEGER NOT NULL, value REAL, PRIMARY KEY(rank, tag, step)) WITHOUT ROWID");
}

Result<void> addGroups(const Database& db) {
    return db.execute("CREATE TABLE IF NOT EXISTS process_group(number INTEGER NOT NULL, first_rank INTEGER NOT NULL, "
                      "size INTEGER NOT NULL, name TEXT NOT NULL, backend TEXT NOT NULL, ranks TEXT NOT NULL, "
                      "PRIMARY KEY(number, first_rank)) WITHOUT ROWID");
}

Result<void> addSoftware(const Database& db) {
    return db.execute("CREATE TABLE IF NOT EXISTS software(name TEXT NOT NULL, rank INTEGER NOT NULL, version TEXT NOT "
                      "NULL, PRIMARY KEY(name, rank)) WITHOUT ROWID");
}

Result<void> addUnwatched(const Database& db) {
    return db.execute("CREATE TABLE IF NOT EXISTS unwatched(begin_ns INTEGER PRIMARY KEY, end_ns INTEGER NOT NULL)");
}

Result<void> migrate(const Database& db) {
    RS_TRY_ASSIGN(const auto version, db.scalar("PRAGMA user_version"));
    RS_TRY_ASSIGN(const auto tables, db.scalar("SELECT count(*) FROM sqlite_master"));
    if (version != 0 || tables != 0)
        RS_TRY(checkSchema(db));
    for (auto v = static_cast<std::size_t>(version); v < kMigrations.size(); ++v)
        RS_TRY(kMigrations[v](db));
    return db.execute(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, kSchemaVersion).c_str());
}

} // namespace rankscope::store
