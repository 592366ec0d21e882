// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/library_versions.h"

#include <vector>

namespace rankscope::trainer {

/// libsndfile, libsoxr and libarchive, as they are loaded.
std::vector<LinkedLibrary> audioLinked();

} // namespace rankscope::trainer
