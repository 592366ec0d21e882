// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/programs/last_words.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace rankscope::diagnosis {

namespace {

bool hasOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Returns the text before the first of the characters.
std::string_view until(std::string_view text, char end) {
    return text.substr(0, std::min(text.find(end), text.size()));
}

bool isName(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

/// Returns the line without who printed it: torch.distributed writes "[rank1]: ", and torchrun "[default1]:".
std::string_view withoutPrinter(std::string_view line) {
    for (auto end = line.find("]:"); line.starts_with('[') && end != std::string_view::npos; end = line.find("]:")) {
        line.remove_prefix(end + 2);
        if (line.starts_with(' '))
            line.remove_prefix(1);
    }
    return line;
}

/// Returns the line if it ends a traceback: the name of an exception, and mostly what it says.
std::string_view exceptionIn(std::string_view line) {
    const std::string_view name = until(line, ':');
    const bool ends = hasOneOf(name, {"Error", "Exception", "Interrupt", "Exit", "StopIteration"});
    return isName(name) && ends ? line : std::string_view();
}

/// Returns "train.py:88" for a line of a traceback of the user's program; empty for any other.
std::string placeIn(std::string_view line) {
    constexpr std::string_view kFile = "  File \"", kLine = "\", line ";
    const auto file = line.find(kFile), number = line.find(kLine);
    if (file == std::string_view::npos || number == std::string_view::npos || number < file)
        return {};
    std::string_view path = line.substr(file + kFile.size(), number - file - kFile.size());
    if (hasOneOf(path, {"/site-packages/", "/dist-packages/", "/lib/python"}) || path.starts_with('<'))
        return {};
    path.remove_prefix(path.rfind('/') + 1);
    std::string_view digits = line.substr(number + kLine.size());
    digits = digits.substr(0, std::min(digits.find_first_not_of("0123456789"), digits.size()));
    return digits.empty() ? std::string() : std::string(path) + ":" + std::string(digits);
}

} // namespace

bool mentionsAnotherRank(std::string_view text) {
    return hasOneOf(text,
                    {"Connection closed by peer", "Connection reset by peer", "Broken pipe", "Connection refused",
                     "Timed out waiting", "Application timeout caused pair closure", "op.preamble.length",
                     "Socket Timeout", "failed to pass monitoredBarrier", "ncclRemoteError", "remote process exited",
                     "NCCL communicator was aborted", "Watchdog caught collective operation timeout",
                     "wait timeout after", "mismatch between collectives", "SIGTERMException", "SignalException"});
}

bool mentionsLoaderWorker(std::string_view text) {
    return hasOneOf(text, {"DataLoader worker (pid"});
}

bool mentionsMemory(std::string_view text) {
    return hasOneOf(text,
                    {"out of memory", "bad_alloc", "can't allocate memory", "Cannot allocate memory", "MemoryError"});
}

bool mentionsSharedMemory(std::string_view text) {
    return hasOneOf(text, {"shared memory", "Bus error", "/dev/shm"});
}

bool mentionsFullDisk(std::string_view text) {
    return hasOneOf(text, {"No space left on device", "Disk quota exceeded", "the disk or quota is full"});
}

std::string pythonException(std::string_view lines) {
    std::string place, found;
    while (!lines.empty()) {
        const std::string_view whole = until(lines, '\n'), line = withoutPrinter(whole);
        lines.remove_prefix(std::min(whole.size() + 1, lines.size()));
        if (line.starts_with("Traceback (most recent call last)")) {
            place.clear();
        } else if (std::string at = placeIn(line); !at.empty()) {
            place = std::move(at);
        } else if (const std::string_view exception = exceptionIn(line); !exception.empty()) {
            found = std::string(exception);
            if (!place.empty())
                found += " (" + place + ")";
        }
    }
    return found;
}

} // namespace rankscope::diagnosis
