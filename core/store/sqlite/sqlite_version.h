// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/library_versions.h"

namespace rankscope::store {

/// The SQLite that is loaded, which need not be the one that was compiled against.
LinkedLibrary sqliteLinked();

} // namespace rankscope::store
