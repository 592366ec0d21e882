// SPDX-License-Identifier: Apache-2.0
// A recipe, and edits of it: check_input.h.
#include "tests/fuzz/check_input.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

void examine(const std::string& bytes) {
    const std::string wrong = config::test::checkInput(bytes);
    require(wrong.empty(), wrong);
    ++taken;
}

} // namespace rankscope::fuzz
