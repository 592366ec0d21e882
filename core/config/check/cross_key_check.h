// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

#include <vector>

namespace rankscope::config {

/// Finds values that are valid on their own but contradict each other: shapes that do not fit, a minimum above its
/// maximum, buckets without sizes or tar files.
void checkContradictions(const Node& root, const KeySchema& facts, std::vector<Problem>& problems);

} // namespace rankscope::config
