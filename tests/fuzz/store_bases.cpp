// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/store_bases.h"

#include "core/base/files/file.h"
#include "core/store/write/run_writer.h"
#include "tests/core/store/synthetic.h"
#include "tests/fuzz/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace rankscope::fuzz {

using namespace store;
using namespace telemetry;
namespace fs = std::filesystem;

namespace {

struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Db = std::unique_ptr<sqlite3, Close>;

void sound(bool fine, const std::string& what) {
    if (!fine)
        throw std::runtime_error("the fuzzer's own store: " + what);
}

template <class T> T sound(Result<T> result) {
    sound(result.has_value(), result ? "" : result.error().message());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

Db open(const fs::path& file) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open(file.c_str(), &raw);
    Db db(raw);
    sound(code == SQLITE_OK, "cannot be opened");
    return db;
}

void execute(sqlite3* db, const char* sql) {
    char* why = nullptr;
    sqlite3_exec(db, sql, nullptr, nullptr, &why);
    const std::string text = why ? why : "";
    sqlite3_free(why);
    sound(text.empty(), text);
}

std::vector<std::vector<std::string>> rows(sqlite3* db, const std::string& sql) {
    sqlite3_stmt* s = nullptr;
    sqlite3_prepare_v2(db, sql.c_str(), -1, &s, nullptr);
    std::vector<std::vector<std::string>> all;
    while (sqlite3_step(s) == SQLITE_ROW) {
        all.emplace_back();
        for (int i = 0; i < sqlite3_column_count(s); ++i) {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(s, i));
            all.back().emplace_back(text ? text : "");
        }
    }
    sqlite3_finalize(s);
    return all;
}

std::vector<Table> tablesOf(sqlite3* db) {
    std::vector<Table> tables;
    for (const auto& row : rows(db, "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite%' "
                                    "ORDER BY name"))
        tables.push_back({row[0], {}});
    for (auto& table : tables)
        for (const auto& row : rows(db, "PRAGMA table_info(" + table.name + ")"))
            table.columns.push_back(row[1]);
    return tables;
}

/// Uses small pages, so that a small store has many, and removes the writer, so that no live process seems to own it.
void makeSmall(sqlite3* db) {
    execute(db, "PRAGMA journal_mode=DELETE; DELETE FROM meta WHERE key LIKE 'writer%'; PRAGMA page_size=512; VACUUM");
}

void fillMeasured(RunWriter& store) {
    synthetic::Options options;
    options.steps = 40;
    const auto stream = synthetic::makeStream(options);
    sound(synthetic::commitAll(store, stream, 1));
    CheckRecord check;
    putText(check.name, sizeof check.name, "batches");
    putText(check.text, sizeof check.text, "3 batches on each rank");
    ValidationRecord validation;
    validation.header.step = 20;
    validation.loss = 2.5;
    validation.endNs = synthetic::kStartNs + 1000;
    EndRecord end;
    putText(end.text, sizeof end.text, "done");
    for (int rank = 0; rank < 2; ++rank)
        synthetic::commit(store, rank, {AnyRecord::of(check), AnyRecord::of(validation), AnyRecord::of(end)});
    diagnosis::Incident incident;
    incident.id = 1;
    incident.cause = diagnosis::Cause::DataLoading;
    incident.phase = Phase::DataWait;
    incident.holders = {1};
    incident.waiters = {0};
    incident.step = 12;
    incident.openedNs = synthetic::kStartNs + 100;
    incident.detectedNs = synthetic::kStartNs + 200;
    incident.collective = {"gradient:0", CollectiveOp::AllReduce, 0, 7, true};
    incident.remedy = {"Try num_workers: 4", "model.train_ds.num_workers", "4"};
    incident.evidence = diagnosis::evidenceFromJson({{"seconds", 2.5}, {"file", "a.wav"}});
    const diagnosis::Transition opened{diagnosis::Transition::TransitionKind::Opened, incident};
    diagnosis::Detector detector(2, {});
    diagnosis::InputRecorder recorder(2, {});
    diagnosis::Observation seen;
    seen.nowNs = synthetic::kStartNs + 300;
    seen.ranks.resize(2);
    seen.ranks[1].rank = 1;
    recorder.record(seen, detector);
    const auto piece = recorder.take(detector.advance(seen), true, true);
    sound(piece.has_value(), "no recording");
    sound(store.commit({}, std::span(&opened, 1), std::span(&*piece, 1)));
    StackRow stack{1, 1, "holder", synthetic::kStartNs, 5, 0, "main", "sleeps", "a\nb", ""};
    FactRow fact{1, synthetic::kStartNs + 50, {}};
    fact.view.rssBytes = 1 << 20;
    fact.view.gpuThrottle = "power";
    sound(store.stacks(std::span(&stack, 1)));
    sound(store.facts(std::span(&fact, 1)));
    sound(store.note(NoteSeverity::Warning, "a note", synthetic::kStartNs + 5));
    sound(store.finish());
}

void fillImported(RunWriter& store) {
    std::vector<ImportedValue> values;
    for (int step = 0; step < 40; ++step) {
        values.push_back(
            {ImportedValue::ImportedKind::Metric, Metric::Loss, 0, step, step * 1000, 3.0 / (step + 1), ""});
        values.push_back(
            {ImportedValue::ImportedKind::Other, Metric::Loss, 0, step, step * 1000, 0.5 * step, "train/other"});
    }
    values.push_back({ImportedValue::ImportedKind::Validation, Metric::Loss, 0, 30, 30'500, 1.5, ""});
    sound(store.import(values));
    sound(store.finishImport());
}

StoreBase make(void (*fill)(RunWriter&), bool withLog) {
    const fs::path file = scratch() / "base.sqlite", log = file.string() + "-wal";
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
        std::error_code ec;
        fs::remove(file.string() + end, ec);
    }
    {
        auto store = sound(RunWriter::open(file, synthetic::meta(2)));
        fill(store);
    }
    StoreBase base;
    const Db db = open(file);
    makeSmall(db.get());
    base.tables = tablesOf(db.get());
    if (withLog) { // as a writer leaves it that is killed before the log is checkpointed
        execute(db.get(), "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;"
                          "UPDATE step SET loss=loss+1; INSERT INTO note VALUES(99,0,5,5,1,'in the log')");
        base.log = sound(readFile(log));
    }
    base.file = sound(readFile(file));
    return base;
}

} // namespace

const StoreBase& measuredStore() {
    static const StoreBase base = make(fillMeasured, false);
    return base;
}

const StoreBase& storeWithLog() {
    static const StoreBase base = make(fillMeasured, true);
    return base;
}

const StoreBase& importedStore() {
    static const StoreBase base = make(fillImported, false);
    return base;
}

static void bind(sqlite3_stmt* s, const Cell& cell) {
    std::int64_t integer = 0;
    double real = 0;
    std::memcpy(&integer, cell.value.data(), std::min(cell.value.size(), sizeof integer));
    std::memcpy(&real, &integer, sizeof real);
    switch (cell.kind) {
    case 0:
        sqlite3_bind_int64(s, 1, integer);
        break;
    case 1:
        sqlite3_bind_double(s, 1, real);
        break;
    case 2:
        sqlite3_bind_text(s, 1, cell.value.data(), static_cast<int>(cell.value.size()), SQLITE_TRANSIENT);
        break;
    case 3:
        sqlite3_bind_blob(s, 1, cell.value.data(), static_cast<int>(cell.value.size()), SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_null(s, 1);
    }
    sqlite3_bind_int64(s, 2, static_cast<std::int64_t>(cell.row));
}

std::string changed(const StoreBase& base, const std::vector<Cell>& cells) {
    sqlite3* raw = nullptr;
    sqlite3_open(":memory:", &raw);
    const Db db(raw);
    auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(base.file.size()));
    sound(bytes != nullptr, "no memory");
    std::memcpy(bytes, base.file.data(), base.file.size());
    const auto size = static_cast<sqlite3_int64>(base.file.size());
    sound(sqlite3_deserialize(raw, "main", bytes, size, size,
                              SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK,
          "cannot be taken into memory");
    for (const Cell& cell : cells) {
        const Table& table = base.tables[cell.table % base.tables.size()];
        auto columns = table.columns;
        columns[cell.column % columns.size()] = "?1";
        sqlite3_stmt* s = nullptr;
        const std::string sql = fmt::format("INSERT OR REPLACE INTO {0} SELECT {1} FROM {0} LIMIT 1 OFFSET ?2",
                                            table.name, fmt::join(columns, ","));
        if (sqlite3_prepare_v2(raw, sql.c_str(), -1, &s, nullptr) == SQLITE_OK) {
            bind(s, cell);
            (void)sqlite3_step(s); // SQLite may refuse the change
        }
        sqlite3_finalize(s);
    }
    sqlite3_int64 now = 0;
    unsigned char* after = sqlite3_serialize(raw, "main", &now, 0);
    std::string file(reinterpret_cast<const char*>(after), static_cast<std::size_t>(now));
    sqlite3_free(after);
    return file;
}

} // namespace rankscope::fuzz
