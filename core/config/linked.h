// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/version_text.h"

namespace rankscope::config {

/// The yaml-cpp of the build; the library itself does not tell its version.
LinkedLibrary yamlLinked();

} // namespace rankscope::config
