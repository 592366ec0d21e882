// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/library_versions.h"

namespace rankscope::config {

/// The yaml-cpp of the build; the library itself does not tell its version.
LinkedLibrary yamlLinked();

} // namespace rankscope::config
