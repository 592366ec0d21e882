// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/csv_export.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

namespace rankscope::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = 64u << 10;

/// Returns a field as in RFC 4180: quoted if needed, with quotes doubled.
std::string field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"')
            quoted += c;
    }
    return quoted + '"';
}

/// Returns one cell as stored in SQLite; NULL is an empty cell.
std::string cell(sqlite3_stmt* row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return fmt::format("{}", sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return fmt::format("{}", sqlite3_column_double(row, column));
    case SQLITE_TEXT:
        return field({reinterpret_cast<const char*>(sqlite3_column_text(row, column)),
                      static_cast<std::size_t>(sqlite3_column_bytes(row, column))});
    default:
        return {};
    }
}

Result<void> exportQuery(const Database& db, const std::string& sql, const fs::path& path) {
    RS_TRY_ASSIGN(auto rows, db.prepare(sql));
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path));
    sqlite3_stmt* statement = rows.handle();
    const int columns = sqlite3_column_count(statement);
    std::string text;
    for (int i = 0; i < columns; ++i)
        text.append(i == 0 ? "" : ",").append(field(sqlite3_column_name(statement, i)));
    while (!file.failed()) {
        text += "\r\n";
        RS_TRY_ASSIGN(auto row, rows.step());
        if (!row)
            break;
        if (text.size() >= kBufferBytes) {
            file.write(text.data(), text.size());
            text.clear();
        }
        for (int i = 0; i < columns; ++i)
            text.append(i == 0 ? "" : ",").append(cell(statement, i));
    }
    file.write(text.data(), text.size());
    return file.commit();
}

/// Writes a value that was not finite as "nan"; an empty cell would mean "not measured".
std::string stepsQuery(const CsvOptions& options, const std::string& where) {
    std::string sql = "SELECT rank, step, epoch, flags, begin_ns, end_ns";
    for (const MetricInfo& metric : metrics()) {
        const auto& wanted = options.series;
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), metric.metric) != wanted.end())
            sql += fmt::format(", CASE WHEN {0} IS NULL AND not_finite>>{1}&1 THEN 'nan' ELSE {0} END AS {0}",
                               metric.column, static_cast<int>(metric.metric));
    }
    return sql + fmt::format(" FROM step t WHERE {} ORDER BY rank, step", where);
}

/// Returns the condition for a table with columns rank and step.
std::string condition(const CsvOptions& options) {
    const std::string where = fmt::format("t.step>={} AND t.step<={}", options.steps.first, options.steps.last);
    return options.ranks.empty() ? where : where + fmt::format(" AND t.rank IN ({})", fmt::join(options.ranks, ","));
}

struct CsvFile {
    const char *name, *table; ///< the table must exist
    std::string sql;
};

std::vector<CsvFile> files(const CsvOptions& options) {
    const std::string where = condition(options);
    const std::string ranks =
        options.ranks.empty() ? "1" : fmt::format("t.rank IN ({})", fmt::join(options.ranks, ","));
    return {
        {"steps.csv", "step", stepsQuery(options, where)},
        {"collectives.csv", "collective",
         fmt::format("SELECT t.rank, t.step, group_id, sequence, op_name.name AS op, tag.name AS tag, dtype, count, "
                     "failed, phase_name.name AS phase, arrived_ns, started_ns, done_ns, exposed_ns, wait_ns, holder "
                     "FROM collective t LEFT JOIN tag ON tag.id=t.tag LEFT JOIN op_name ON op_name.op=t.op LEFT JOIN "
                     "phase_name ON phase_name.phase=t.phase WHERE {} ORDER BY t.step, group_id, sequence, t.rank",
                     where)},
        {"phases.csv", "phase",
         fmt::format("SELECT rank, step, phase_name.name AS phase, begin_ns, end_ns FROM phase t LEFT JOIN phase_name "
                     "ON phase_name.phase=t.phase WHERE {} ORDER BY step, rank, begin_ns",
                     where)},
        {"waits.csv", "wait_pair",
         "SELECT level, bucket, waiter, holder, tag, wait_ns, collectives FROM wait_pair ORDER BY level, bucket, "
         "waiter, holder, tag"},
        {"resources.csv", "resource",
         fmt::format("SELECT rank, time_ns, step, rss_bytes, cpu_ns, gpu_bytes, gpu_percent, threads FROM resource t "
                     "WHERE {} ORDER BY rank, time_ns",
                     ranks)},
        {"incidents.csv", "incident",
         "SELECT id, cause, phase_name.name AS phase, holders, waiters, tag, op_name.name AS op, group_id, sequence, "
         "step, last_step, straggler, opened_ns, detected_ns, closed_ns, close_reason, remedy_text, remedy_key, "
         "remedy_value, evidence FROM incident i LEFT JOIN phase_name ON phase_name.phase=i.phase LEFT JOIN op_name ON "
         "op_name.op=i.op ORDER BY id"},
        {"notes.csv", "note", "SELECT id, rank, time_ns, step, severity, text FROM note ORDER BY id"},
        {"checks.csv", "rank_check",
         fmt::format(
             "SELECT rank, name, status, stops, text, time_ns FROM rank_check t WHERE {} ORDER BY time_ns, rank",
             ranks)},
        {"validations.csv", "validation",
         fmt::format("SELECT rank, step, epoch, begin_ns, end_ns, loss, local_loss, batches, nullif(unmasked,-1) AS "
                     "unmasked, nullif(masked_frames,-1) AS masked_frames "
                     "FROM validation t WHERE {} ORDER BY step, rank, begin_ns",
                     where)},
        {"software.csv", "software",
         fmt::format("SELECT rank, name, version FROM software t WHERE {} ORDER BY name, rank", ranks)},
        {"groups.csv", "process_group",
         "SELECT number AS group_id, name, backend, size, ranks FROM process_group ORDER BY number, first_rank"},
        {"scalars.csv", "scalar",
         fmt::format("SELECT rank, name AS tag, step, time_ns, value FROM scalar t JOIN scalar_tag ON "
                     "scalar_tag.id=t.tag WHERE {} ORDER BY rank, t.tag, step",
                     where)},
    };
}

} // namespace

Result<void> exportCsv(const OpenStore& store, const fs::path& dir, const CsvOptions& options) {
    RS_TRY(makePrivateDirs(dir));
    RS_TRY_ASSIGN(const auto snapshot, store.snapshot());
    for (const CsvFile& file : files(options)) {
        RS_TRY_ASSIGN(const bool has, store.has(file.table)); // older stores have fewer
        if (has)
            RS_TRY(exportQuery(store.db(), file.sql, dir / file.name));
    }
    return {};
}

} // namespace rankscope::store
