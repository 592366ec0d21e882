// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/version_text.h"

namespace rankscope::launch {

/// The libdw that is loaded.
LinkedLibrary elfutilsLinked();

} // namespace rankscope::launch
