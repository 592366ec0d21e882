// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stacks/python_stacks.h"

#include "core/base/files/file.h"
#include "core/base/text/terminal_safe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankscope::launch {

static constexpr std::size_t kLongestFrame = 500;

bool catchesSignal(pid_t pid, int number) {
    constexpr std::string_view kCaught = "SigCgt:\t";
    const std::string status = readFile(fmt::format("/proc/{}/status", pid), 1 << 16).value_or(std::string());
    const auto at = status.find(kCaught);
    std::uint64_t caught = 0;
    if (at != std::string::npos)
        std::from_chars(status.data() + at + kCaught.size(), status.data() + status.size(), caught, 16);
    return number >= 1 && number <= 64 && (caught >> (number - 1) & 1) != 0;
}

/// Returns "f (path:line)" for the line `  File "path", line 12 in f`; any other line as it is.
static std::string frameOf(std::string_view line) {
    constexpr std::string_view kFile = "  File \"", kLine = "\", line ", kIn = " in ";
    line = line.substr(0, kLongestFrame);
    const auto path = line.starts_with(kFile) ? kFile.size() : std::string_view::npos;
    const auto number = path == std::string_view::npos ? path : line.find(kLine, path);
    const auto name = number == std::string_view::npos ? number : line.find(kIn, number);
    if (name == std::string_view::npos)
        return printableLine(line.substr(std::min<std::size_t>(line.find_first_not_of(' '), line.size())));
    const auto digits = number + kLine.size();
    return printableLine(fmt::format("{} ({}:{})", line.substr(name + kIn.size()), line.substr(path, number - path),
                                     line.substr(digits, name - digits)));
}

std::vector<PythonThread> pythonThreadsOf(std::string_view text, const StackLimits& limits) {
    constexpr std::string_view kThread = "Thread 0x", kCurrent = "Current thread 0x";
    std::vector<PythonThread> threads;
    bool inside = false;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool current = line.starts_with(kCurrent) && line.find("stack trace") == std::string_view::npos;
        if (current || line.starts_with(kThread)) {
            inside = threads.size() < static_cast<std::size_t>(limits.threads);
            if (inside)
                threads.push_back({current, {}});
        } else if (!line.starts_with("  ")) {
            inside = false; // an empty line, or a list of another kind
        } else if (inside && threads.back().frames.size() < static_cast<std::size_t>(limits.frames)) {
            threads.back().frames.push_back(frameOf(line));
        }
    }
    return threads;
}

void addPythonThreads(std::vector<NativeThread>& threads, const std::vector<PythonThread>& python, int mainThread) {
    int others = 0;
    for (const PythonThread& one : python) {
        if (!one.current) {
            threads.push_back({--others, "Python", "has these Python frames", one.frames, ""});
            continue;
        }
        auto main = std::find_if(threads.begin(), threads.end(), [&](const auto& t) { return t.tid == mainThread; });
        if (main == threads.end())
            main = threads.insert(threads.begin(), NativeThread{mainThread, "Python", "", {}, ""});
        main->frames.insert(main->frames.begin(), one.frames.begin(), one.frames.end());
    }
}

} // namespace rankscope::launch
