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
/// Empty: it is not there.
Result<std::string> getMetaText(const Database& db, std::string_view key);
Result<std::int64_t> getMeta(const Database& db, std::string_view key, std::int64_t otherwise);

/// The process that writes to the store's file, which has this inode; 0: none lives. A copy names the writer of the
/// file that was copied, and has none.
Result<pid_t> liveWriter(const Database& db, std::uint64_t inode);
/// Names this process as the writer of the file with this inode.
Result<void> setWriter(const Database& db, std::uint64_t inode);

Result<void> writeMeta(const Database& db, const RunMeta& meta);
/// An empty id: there is none yet.
Result<RunMeta> readMeta(const Database& db);

} // namespace rankscope::store
