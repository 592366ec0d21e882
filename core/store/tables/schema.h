// SPDX-License-Identifier: Apache-2.0
// The tables of run.sqlite and the migration of older ones (docs/dev/store.md).
#pragma once

#include "core/base/values/error.h"
#include "core/store/sqlite/sqlite.h"

#include <string_view>
#include <vector>

namespace rankscope::store {

inline constexpr int kSchemaVersion = 3;
inline constexpr int kApplicationId = 0x52534350; ///< "RSCP"

/// Returns the version of a store made by this program; for any other file, an error that says what it is.
Result<int> storeVersion(const Database& db);
/// Returns an error if this program cannot write to a store of that version.
Result<void> checkSchema(const Database& db);
/// Returns the tables of a version; stores of newer versions may have more.
std::vector<std::string_view> tablesOf(int version);
/// Returns false if the store has an older version without this table.
Result<bool> hasTable(const Database& db, std::string_view name);
/// Creates the tables for values with their own names, if they do not exist. Only stores with such values have them, so
/// that older programs can read all other stores.
Result<void> addScalars(const Database& db);
/// Creates the tables of process groups and of the versions of software, if they do not exist. Only stores of programs
/// that report them have them.
Result<void> addGroups(const Database& db);
Result<void> addSoftware(const Database& db);
/// Creates the table of the times in which no supervisor watched the ranks, if it does not exist.
Result<void> addUnwatched(const Database& db);
/// Creates the tables in an empty file, or migrates an older store. Call it inside a write transaction.
Result<void> migrate(const Database& db);

} // namespace rankscope::store
