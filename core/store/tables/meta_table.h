// SPDX-License-Identifier: Apache-2.0
// Table meta: key and value.
#pragma once

#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/run_meta.h"

#include <cstdint>

namespace rankscope::store {

Result<void> setMeta(const Database& db, std::string_view key, std::int64_t value);
Result<void> setMetaText(const Database& db, std::string_view key, std::string_view value);
/// Empty: it is not there.
Result<std::string> getMetaText(const Database& db, std::string_view key);
Result<std::int64_t> getMeta(const Database& db, std::string_view key, std::int64_t otherwise);

Result<void> writeMeta(const Database& db, const RunMeta& meta);
/// An empty id: there is none yet.
Result<RunMeta> readMeta(const Database& db);

} // namespace rankscope::store
