// SPDX-License-Identifier: Apache-2.0
#include "core/base/file.h"
#include "core/store/reader_impl.h"
#include "core/store/schema.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace rankscope::store {

namespace fs = std::filesystem;

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// RFC 4180: quoted when it has to be, quotes doubled.
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

/// One cell as SQLite has it; NULL is an empty one.
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
    auto rows = db.prepare(sql);
    if (!rows)
        return tl::unexpected(rows.error());
    File file(std::fopen(path.c_str(), "we"));
    if (!file)
        return tl::unexpected(systemError("write", path.string(), errno));
    sqlite3_stmt* statement = rows->handle();
    const int columns = sqlite3_column_count(statement);
    std::string line;
    for (int i = 0; i < columns; ++i)
        line.append(i == 0 ? "" : ",").append(field(sqlite3_column_name(statement, i)));
    for (;;) {
        line += '\n';
        if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size())
            return tl::unexpected(systemError("write", path.string(), errno));
        auto row = rows->step();
        if (!row)
            return tl::unexpected(row.error());
        if (!*row)
            break;
        line.clear();
        for (int i = 0; i < columns; ++i)
            line.append(i == 0 ? "" : ",").append(cell(statement, i));
    }
    if (std::fclose(file.release()) != 0)
        return tl::unexpected(systemError("write", path.string(), errno));
    return {};
}

/// A value that was not finite is "nan" in the file; NULL alone would read as "was not measured".
std::string stepsQuery() {
    std::string sql = "SELECT rank, step, epoch, flags, begin_ns, end_ns";
    for (const MetricInfo& metric : metrics())
        sql += fmt::format(", CASE WHEN {0} IS NULL AND not_finite>>{1}&1 THEN 'nan' ELSE {0} END AS {0}",
                           metric.column, static_cast<int>(metric.metric));
    return sql + " FROM step ORDER BY rank, step";
}

} // namespace

Result<void> RunReader::exportCsv(const fs::path& dir) {
    RS_TRY(makePrivateDirs(dir));
    auto snapshot = Transaction::begin(m->db, Transaction::Kind::Read);
    if (!snapshot)
        return tl::unexpected(snapshot.error());
    RS_TRY(exportQuery(m->db, stepsQuery(), dir / "steps.csv"));
    RS_TRY(exportQuery(m->db,
                       "SELECT c.rank, c.step, group_id, sequence, op_name.name AS op, tag.name AS tag, dtype, count, "
                       "failed, phase_name.name AS phase, arrived_ns, started_ns, done_ns, exposed_ns, wait_ns, holder "
                       "FROM collective c LEFT JOIN tag ON tag.id=c.tag LEFT JOIN op_name ON op_name.op=c.op LEFT JOIN "
                       "phase_name ON phase_name.phase=c.phase ORDER BY c.step, group_id, sequence, c.rank",
                       dir / "collectives.csv"));
    RS_TRY(
        exportQuery(m->db,
                    "SELECT rank, step, phase_name.name AS phase, begin_ns, end_ns FROM phase p LEFT JOIN phase_name "
                    "ON phase_name.phase=p.phase ORDER BY step, rank, begin_ns",
                    dir / "phases.csv"));
    RS_TRY(
        exportQuery(m->db,
                    "SELECT id, cause, phase_name.name AS phase, holders, waiters, tag, op_name.name AS op, group_id, "
                    "sequence, step, last_step, straggler, opened_ns, detected_ns, closed_ns, close_reason, "
                    "remedy_text, remedy_key, remedy_value, evidence FROM incident i LEFT JOIN phase_name ON "
                    "phase_name.phase=i.phase LEFT JOIN op_name ON op_name.op=i.op ORDER BY id",
                    dir / "incidents.csv"));
    RS_TRY(
        exportQuery(m->db, "SELECT id, rank, time_ns, step, severity, text FROM note ORDER BY id", dir / "notes.csv"));
    auto checked = hasTable(m->db, "rank_check");
    if (!checked)
        return tl::unexpected(checked.error());
    if (*checked)
        RS_TRY(exportQuery(m->db,
                           "SELECT rank, name, status, stops, text, time_ns FROM rank_check ORDER BY time_ns, rank",
                           dir / "checks.csv"));
    auto validated = hasValidations(m->db);
    if (!validated || !*validated)
        return validated ? Result<void>{} : tl::unexpected(validated.error());
    return exportQuery(m->db,
                       "SELECT rank, step, epoch, begin_ns, end_ns, loss, local_loss, batches, unmasked, masked_frames "
                       "FROM validation ORDER BY step, rank, begin_ns",
                       dir / "validations.csv");
}

} // namespace rankscope::store
