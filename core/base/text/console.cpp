// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/console.h"

#include "core/base/text/terminal_safe.h"

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

void writeBytes(std::string_view bytes) {
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
        noteProblem();
}

void controlTerminal(std::string_view command) {
    (void)std::fwrite(command.data(), 1, command.size(), stderr);
    (void)std::fflush(stderr);
}

void write(std::string_view text) {
    writeBytes(printable(text));
}

void writeError(std::string_view text) {
    controlTerminal(printable(text));
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
