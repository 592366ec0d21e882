// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stacks/stack_json.h"

#include "core/base/text/terminal_safe.h"
#include "core/base/text/untrusted_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace rankscope::launch {

using nlohmann::json;

static constexpr std::size_t kLongestText = 1000; ///< of any text from another process

json threadsJson(const std::vector<NativeThread>& threads) {
    json all = json::array();
    for (const NativeThread& t : threads)
        all.push_back(
            {{"tid", t.tid}, {"name", t.name}, {"doing", t.doing}, {"frames", t.frames}, {"remark", t.remark}});
    return all;
}

json toJson(const NativeStacks& stacks) {
    return {{"threads", threadsJson(stacks.threads)}, {"threads_left_out", stacks.threadsLeftOut}};
}

static std::string stringAt(const json& object, const char* key) {
    return textIn(object, key).substr(0, kLongestText);
}

static int intOf(const json& object, const char* key) {
    return static_cast<int>(std::clamp<std::int64_t>(intOr(object, key), 0, INT32_MAX));
}

static NativeThread threadOf(const json& object, const StackLimits& limits) {
    NativeThread t{
        intOf(object, "tid"), stringAt(object, "name"), stringAt(object, "doing"), {}, stringAt(object, "remark")};
    const auto frames = object.find("frames");
    if (frames == object.end() || !frames->is_array())
        return t;
    for (const json& frame : *frames)
        if (frame.is_string() && t.frames.size() < 2 * static_cast<std::size_t>(limits.frames))
            t.frames.push_back(frame.get<std::string>().substr(0, kLongestText));
    return t;
}

Result<NativeStacks> stacksFromJson(const std::string& text, const StackLimits& limits) {
    const json root = readJson(text).value_or(json());
    const auto threads = root.is_object() ? root.find("threads") : root.end();
    if (!root.is_object() || threads == root.end() || !threads->is_array())
        return fail(Errc::Malformed, "the output of 'rankscopectl stacks' is not a list of threads");
    NativeStacks stacks;
    stacks.threadsLeftOut = intOf(root, "threads_left_out");
    for (const json& thread : *threads)
        if (thread.is_object() && stacks.threads.size() < static_cast<std::size_t>(limits.threads))
            stacks.threads.push_back(threadOf(thread, limits));
    return stacks;
}

std::string stacksText(const std::vector<NativeThread>& threads, int leftOut, const std::string& indent) {
    std::string out;
    std::vector<bool> told(threads.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
        if (told[i])
            continue;
        const NativeThread& t = threads[i];
        std::vector<int> like;
        for (std::size_t k = i + 1; k < threads.size(); ++k)
            if (!t.frames.empty() && threads[k].frames == t.frames && threads[k].remark == t.remark) {
                told[k] = true;
                like.push_back(threads[k].tid);
            }
        out += fmt::format("{}thread {} {}, {}{}\n", indent, t.tid, printableLine(t.name), printableLine(t.doing),
                           like.empty() ? "" : fmt::format("; the same in threads {}", fmt::join(like, ", ")));
        if (!t.remark.empty())
            out += fmt::format("{}  ({})\n", indent, printableLine(t.remark));
        for (std::size_t f = 0; f < t.frames.size(); ++f)
            out += fmt::format("{}  #{:<2} {}\n", indent, f, printableLine(t.frames[f]));
    }
    if (leftOut > 0)
        out += fmt::format("{}and {} more threads\n", indent, leftOut);
    return out;
}

std::vector<NativeThread> threadsOf(const std::vector<store::StackRow>& rows) {
    std::vector<NativeThread> threads;
    for (const store::StackRow& row : rows) {
        NativeThread t{row.thread, row.name, row.doing, {}, row.remark};
        std::istringstream lines(row.frames);
        for (std::string line; std::getline(lines, line);)
            t.frames.push_back(line);
        threads.push_back(std::move(t));
    }
    return threads;
}

} // namespace rankscope::launch
