// SPDX-License-Identifier: Apache-2.0
// Writes text to a terminal, a pipe or a log. Unlike fmt::print, nothing here throws: a reader that closes its end, or
// a full disk under a supervisor's log, must not end the supervisor. Text may contain names, notes and logs from
// untrusted sources, so it is made safe for a terminal (core/base/text/terminal_safe.h). Callers pass each field of a
// line through printableLine() first, or write a Message.
#pragma once

#include "core/base/values/error.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::console {

void write(std::string_view text);      ///< to standard output
void writeError(std::string_view text); ///< to standard error; text that cannot be written is lost

/// Writes bytes unchanged to standard output: a recipe, or a path that a script reads.
void writeBytes(std::string_view bytes);
/// Writes one of the program's own terminal commands to standard error.
void controlTerminal(std::string_view command);

template <class... Args> void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args> void printError(fmt::format_string<Args...> format, Args&&... args) {
    writeError(fmt::format(format, std::forward<Args>(args)...));
}

/// Sets the language of both outputs. If it is not called, a terminal gets the language of the locale, and a pipe or a
/// file gets English, because a script may read it.
void setLanguage(Language language);
std::optional<Language> chosenLanguage(); ///< chosen by setLanguage(); none if it was not called
/// Takes --lang and its value (en, zh) out of a program's arguments, wherever it is, and sets that language, so that
/// errors in the other arguments are reported in it.
Result<void> takeLanguage(int& argc, char** argv);
Language readerLanguage(); ///< of files for people, such as a report: the chosen one, else that of the locale
Language outputLanguage(); ///< of standard output
Language errorLanguage();  ///< of standard error

/// Returns the message as one line without a line break, in the language of standard output.
std::string text(const Message& message);
void say(const Message& message);      ///< writes it as one line to standard output
void sayError(const Message& message); ///< the same to standard error, in its language

/// Flushes the buffer. Returns errno of the first write to standard output that failed; 0 if none has. EPIPE: the
/// reader has closed the pipe.
int flush();

/// Returns the exit code for a program that would exit with `code`: `failed`, with a message on standard error, if
/// `code` is 0 but standard output could not be written. A reader that closed the pipe does not count as a failure.
int exitCode(int code, int failed, std::string_view program);

} // namespace rankscope::console
