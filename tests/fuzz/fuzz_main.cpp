// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry (clang, preset "fuzz"), linked with one target; tests/fuzz/run.sh builds and runs them.
#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string wrong = rankscope::fuzz::check({reinterpret_cast<const char*>(data), size});
    if (!wrong.empty()) {
        std::fprintf(stderr, "broken: %s\n", wrong.c_str());
        std::abort();
    }
    return 0;
}
