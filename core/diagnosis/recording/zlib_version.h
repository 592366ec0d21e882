// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/library_versions.h"

namespace rankscope::diagnosis {

/// The zlib that is loaded.
LinkedLibrary zlibLinked();

} // namespace rankscope::diagnosis
