// SPDX-License-Identifier: Apache-2.0
// Tables of run.sqlite and how older ones become today's (docs/store.md).
#pragma once

#include "core/base/error.h"
#include "core/store/sqlite.h"

namespace rankscope::store {

inline constexpr int kSchemaVersion = 3;
inline constexpr int kApplicationId = 0x52534350; ///< "RSCP"

/// True when the file is a store of a version that this program can read; an error says which it is.
Result<void> checkSchema(const Database& db);
/// False in a store of version 1, which is read as it is.
Result<bool> hasValidations(const Database& db);
/// False in a store of an older version, which is read as it is.
Result<bool> hasTable(const Database& db, const char* name);
/// Makes the tables in an empty file, migrates an older store forward. Inside the caller's write transaction.
Result<void> migrate(const Database& db);

} // namespace rankscope::store
