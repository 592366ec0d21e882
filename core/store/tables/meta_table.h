// SPDX-License-Identifier: Apache-2.0
// Table meta: key and value.
#pragma once

#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/run_meta.h"

#include <sys/types.h>

#include <cstdint>

namespace rankscope::store {

Result<void> setMeta(const Database& db, std::string_view key, std::int64_t value);
Result<void> setMetaText(const Database& db, std::string_view key, std::string_view value);
/// Returns the value of a key; empty if there is none.
Result<std::string> getMetaText(const Database& db, std::string_view key);
Result<std::int64_t> getMeta(const Database& db, std::string_view key, std::int64_t otherwise);

/// Returns the process that is writing to the store's file, which has this inode; 0: none is running. A copy still
/// names the writer of the original file, but has none.
Result<pid_t> liveWriter(const Database& db, std::uint64_t inode);
/// Names this process as the writer of the file with this inode.
Result<void> setWriter(const Database& db, std::uint64_t inode);

Result<void> writeMeta(const Database& db, const RunMeta& meta);
/// Reads the meta data; its id is empty if none was written yet.
Result<RunMeta> readMeta(const Database& db);

} // namespace rankscope::store
