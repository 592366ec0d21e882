// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry (clang, preset "fuzz"), linked with one target; tests/fuzz/run.sh builds and runs them.
#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

/// Returns the CPU time of this thread: on a busy machine, wall-clock time says nothing.
double cpuSeconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const double begin = cpuSeconds();
    const std::string wrong = rankscope::fuzz::Target::only().check({reinterpret_cast<const char*>(data), size});
    const double took = cpuSeconds() - begin;
    if (wrong.empty() && took <= 1.0)
        return 0;
    std::fprintf(stderr, "broken: %s (%.2f s)\n", wrong.empty() ? "it took too long" : wrong.c_str(), took);
    std::abort();
}
