// SPDX-License-Identifier: Apache-2.0
// Tables of run.sqlite and how older ones become today's (docs/store.md).
#pragma once

#include "core/base/values/error.h"
#include "core/store/sqlite/sqlite.h"

#include <string_view>
#include <vector>

namespace rankscope::store {

inline constexpr int kSchemaVersion = 3;
inline constexpr int kApplicationId = 0x52534350; ///< "RSCP"

/// The version of a store that this program made; an error says what else it is.
Result<int> storeVersion(const Database& db);
/// An error when the file is none of a version that this program can write to; it says which it is.
Result<void> checkSchema(const Database& db);
/// The tables of a version, in which a newer one may have more.
std::vector<std::string_view> tablesOf(int version);
/// False in a store of an older version, which is read as it is.
Result<bool> hasTable(const Database& db, const char* name);
/// The tables of values under names of their own, where they are not there: only a store that has such values has them,
/// so that all others stay what older programs know.
Result<void> addScalars(const Database& db);
/// Makes the tables in an empty file, migrates an older store forward. Inside the caller's write transaction.
Result<void> migrate(const Database& db);

} // namespace rankscope::store
