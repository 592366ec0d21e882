// SPDX-License-Identifier: Apache-2.0
// Words for a terminal, a pipe or a log. Nothing here throws, as fmt::print does: a reader that leaves, or a full disk
// under a supervisor's log, must not end the supervisor. Names, notes and logs of strangers are in these words:
// whatever is written, a terminal gets no commands by it (core/base/text/terminal_safe.h). A field of a line goes
// through printableLine() before.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace rankscope::console {

void write(std::string_view text);      ///< to standard output
void writeError(std::string_view text); ///< to standard error; what cannot be written is lost

/// Bytes as they are, to standard output: a recipe, or a path that a script reads.
void writeBytes(std::string_view bytes);
/// A command for the terminal, of the program's own, to standard error.
void controlTerminal(std::string_view command);

template <class... Args> void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args> void printError(fmt::format_string<Args...> format, Args&&... args) {
    writeError(fmt::format(format, std::forward<Args>(args)...));
}

/// Flushes the buffer. errno of the first write to standard output that failed; 0: none has. EPIPE: its
/// reader has left.
int flush();

/// The exit code of a program that would end with `code`: `failed`, and a word on standard error, where all went well
/// but standard output could not be written. A reader that has left had enough: that is no failure.
int exitCode(int code, int failed, std::string_view program);

} // namespace rankscope::console
