// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/version_text.h"

#include <vector>

namespace rankscope::trainer {

/// libsndfile, libsoxr and libarchive, as they are loaded.
std::vector<LinkedLibrary> audioLinked();

} // namespace rankscope::trainer
