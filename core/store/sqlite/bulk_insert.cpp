// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite/bulk_insert.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string>

namespace rankscope::store {

Result<void> BulkInsert::prepareBoth(const Database& db, std::string_view table, int columns, std::string_view many,
                                     std::string_view one, std::string_view onConflict) {
    m_db = &db;
    m_columns = columns;
    std::string row = "(?";
    for (int i = 1; i < columns; ++i)
        row += ",?";
    row += ')';
    std::string rows = row;
    for (std::size_t i = 1; i < kRows; ++i)
        rows += ',' + row;
    RS_TRY_ASSIGN(m_many, db.prepare(fmt::format("{} INTO {} VALUES{} {}", many, table, rows, onConflict)));
    RS_TRY_ASSIGN(m_one, db.prepare(fmt::format("{} INTO {} VALUES{} {}", one, table, row, onConflict)));
    return {};
}

Result<void> BulkInsert::prepare(const Database& db, std::string_view table, int columns) {
    // FAIL keeps the rows before the duplicate, and needs no statement journal to roll them back
    return prepareBoth(db, table, columns, "INSERT OR FAIL", "INSERT OR IGNORE", "");
}

Result<void> BulkInsert::prepareUpsert(const Database& db, std::string_view table, int columns,
                                       std::string_view onConflict) {
    return prepareBoth(db, table, columns, "INSERT", "INSERT", onConflict);
}

Result<std::size_t> BulkInsert::runMany() {
    const std::int64_t before = sqlite3_total_changes64(m_db->handle());
    const int code = sqlite3_step(m_many.handle());
    Error error;
    if (code != SQLITE_DONE)
        error = m_db->error(code);
    m_many.reset();
    if (code != SQLITE_DONE && code != SQLITE_CONSTRAINT_PRIMARYKEY)
        return tl::unexpected(std::move(error));
    return static_cast<std::size_t>(sqlite3_total_changes64(m_db->handle()) - before);
}

Result<bool> BulkInsert::runOne() {
    RS_TRY(m_one.run());
    return m_db->changes() != 0;
}

} // namespace rankscope::store
