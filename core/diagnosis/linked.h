// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/version_text.h"

namespace rankscope::diagnosis {

/// The zlib that is loaded.
LinkedLibrary zlibLinked();

} // namespace rankscope::diagnosis
