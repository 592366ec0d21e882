// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite/sqlite_version.h"

#include <sqlite3.h>

namespace rankscope::store {

LinkedLibrary sqliteLinked() {
    return {"SQLite", sqlite3_libversion()};
}

} // namespace rankscope::store
