// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rankscope::trainer::test {

/// Continues from the newest checkpoint in the folder and saves one after the other, forever; prints each step after it
/// has been saved. Returns only if saving fails.
int writeCheckpoints(const std::string& folder);

} // namespace rankscope::trainer::test
