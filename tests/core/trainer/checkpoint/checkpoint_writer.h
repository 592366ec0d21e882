// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rankscope::trainer::test {

/// Goes on from the newest checkpoint in the folder and saves one after the other, for ever; prints each step when it
/// is saved. Returns only when that fails.
int writeCheckpoints(const std::string& folder);

} // namespace rankscope::trainer::test
