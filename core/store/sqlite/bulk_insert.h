// SPDX-License-Identifier: Apache-2.0
// Inserts many rows into one table with few statements: a statement costs SQLite as much as several rows.
#pragma once

#include "core/base/values/result.h"
#include "core/store/sqlite/sqlite.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace rankscope::store {

class BulkInsert {
public:
    static constexpr std::size_t kRows = 32; ///< per statement

    /// Prepares to insert rows of `columns` values into `table`. A row whose key already exists is left unchanged.
    Result<void> prepare(const Database& db, std::string_view table, int columns);
    /// Prepares to insert or update rows; `onConflict` is the clause that says how to update. No row counts as a
    /// duplicate then.
    Result<void> prepareUpsert(const Database& db, std::string_view table, int columns, std::string_view onConflict);
    /// Inserts `count` rows. `bind(statement, firstIndex, i)` binds row i; rows in the order of the table's key are
    /// fastest. `duplicate(i)` is called for a row that already exists.
    template <class Bind, class Duplicate> Result<void> run(std::size_t count, Bind bind, Duplicate duplicate) {
        std::size_t at = 0;
        while (count - at >= kRows) {
            for (std::size_t i = 0; i < kRows; ++i)
                bind(m_many, static_cast<int>(i) * m_columns + 1, at + i);
            RS_TRY_ASSIGN(auto inserted, runMany());
            at += inserted;
            if (inserted < kRows) // the next one is a duplicate
                duplicate(at++);
        }
        for (; at < count; ++at) {
            bind(m_one, 1, at);
            RS_TRY_ASSIGN(auto inserted, runOne());
            if (!inserted)
                duplicate(at);
        }
        return {};
    }

private:
    Result<void> prepareBoth(const Database& db, std::string_view into, int columns, std::string_view many,
                             std::string_view one, std::string_view onConflict);
    Result<std::size_t> runMany(); ///< rows before the first duplicate
    Result<bool> runOne();

    const Database* m_db = nullptr;
    int m_columns = 0;
    Statement m_many, m_one;
};

} // namespace rankscope::store
