// SPDX-License-Identifier: Apache-2.0
#include "core/base/console/console.h"

#include "core/base/text/terminal_safe.h"

#include <unistd.h>

#include <algorithm>
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

static std::atomic<int> chosen{-1}; ///< -1: no language

void setLanguage(Language language) {
    chosen = static_cast<int>(language);
}

std::optional<Language> chosenLanguage() {
    const int language = chosen;
    return language < 0 ? std::nullopt : std::optional(static_cast<Language>(language));
}

Result<void> takeLanguage(int& argc, char** argv) {
    constexpr std::string_view kOption = "--lang";
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--";) {
        const std::string_view word = argv[i];
        const bool apart = word == kOption;
        if (!apart && !(word.starts_with(kOption) && word[kOption.size()] == '=')) {
            ++i;
            continue;
        }
        const std::string_view value = !apart ? word.substr(kOption.size() + 1) : i + 1 < argc ? argv[i + 1] : "";
        if (value != "en" && value != "zh")
            return fail(Errc::BadInput, "must be en or zh", fmt::format("{} {}", kOption, value));
        setLanguage(value == "zh" ? Language::Chinese : Language::English);
        const int taken = apart ? 2 : 1;
        std::copy(argv + i + taken, argv + argc, argv + i);
        argc -= taken;
    }
    return {};
}

static Language languageOf(int fd) {
    return ::isatty(fd) == 1 ? readerLanguage() : chosenLanguage().value_or(Language::English);
}

Language readerLanguage() {
    return chosenLanguage().value_or(localeLanguage());
}

Language outputLanguage() {
    return languageOf(STDOUT_FILENO);
}

Language errorLanguage() {
    return languageOf(STDERR_FILENO);
}

std::string text(const Message& message) {
    return printableLine(message.text(outputLanguage()));
}

void say(const Message& message) {
    writeBytes(text(message) + "\n");
}

void sayError(const Message& message) {
    controlTerminal(printableLine(message.text(errorLanguage())) + "\n");
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
    sayError({"{}: standard output: {}", program, std::strerror(problem)});
    return code == 0 ? failed : code;
}

} // namespace rankscope::console
