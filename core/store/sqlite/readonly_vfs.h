// SPDX-License-Identifier: Apache-2.0
// How SQLite sees the files of a store that nobody writes to: it may read them and nothing else.
#pragma once

namespace rankscope::store {

/// The name of a VFS that opens files for reading only, makes, deletes, locks and changes none, keeps the log's index
/// in memory (with `PRAGMA locking_mode=EXCLUSIVE`), and knows no rollback journal. Registered with the first call;
/// null when SQLite has no VFS at all.
const char* viewVfs();

} // namespace rankscope::store
