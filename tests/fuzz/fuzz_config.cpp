// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry (clang, preset "fuzz"):  build/fuzz/bin/fuzz_config tests/fuzz/seeds -max_total_time=600
#include "tests/fuzz/check_input.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string wrong = rankscope::config::test::checkInput({reinterpret_cast<const char*>(data), size});
    if (!wrong.empty()) {
        std::fprintf(stderr, "fuzz_config: %s\n", wrong.c_str());
        std::abort();
    }
    return 0;
}
