// SPDX-License-Identifier: Apache-2.0
#include "core/base/console.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace rankscope::console {

static std::atomic<int> firstProblem{0};

static void noteProblem() {
    int none = 0;
    firstProblem.compare_exchange_strong(none, errno != 0 ? errno : EIO);
}

void write(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        noteProblem();
}

void writeError(std::string_view text) {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

int flush() {
    errno = 0;
    if (std::fflush(stdout) != 0)
        noteProblem();
    return firstProblem;
}

int exitCode(int code, int failed, std::string_view program) {
    const int problem = flush();
    if (problem == 0 || problem == EPIPE)
        return code;
    printError("{}: standard output: {}\n", program, std::strerror(problem));
    return code == 0 ? failed : code;
}

} // namespace rankscope::console
