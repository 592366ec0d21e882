// SPDX-License-Identifier: Apache-2.0
// Gives SQLite strictly read-only access to the files of a store that no process writes to.
#pragma once

namespace rankscope::store {

/// Returns the name of a VFS that opens files for reading only. It never creates, deletes, locks or changes a file,
/// keeps the log's index in memory (with `PRAGMA locking_mode=EXCLUSIVE`), and ignores rollback journals. It is
/// registered by the first call; null if SQLite has no VFS at all.
const char* viewVfs();

} // namespace rankscope::store
