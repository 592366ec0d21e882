// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/library_versions.h"

namespace rankscope::launch {

/// The libdw that is loaded.
LinkedLibrary elfutilsLinked();

} // namespace rankscope::launch
