// SPDX-License-Identifier: Apache-2.0
// A recipe and edits of it; see check_input.h.
#include "tests/fuzz/check_input.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

static void examine(const std::string& bytes) {
    const std::string wrong = config::test::checkInput(bytes);
    require(wrong.empty(), wrong);
    ++taken;
}

RANKSCOPE_FUZZ_TARGET(config)

} // namespace rankscope::fuzz
