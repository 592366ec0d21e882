// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/thread_waits.h"

#include "core/base/files/file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace rankscope::launch {

namespace fs = std::filesystem;

static constexpr double kLittleCpu = 0.1; ///< of one processor
/// On a busy machine, a thread that runs now and then waits for much of the time as well.
static constexpr double kNearlyAlways = 0.9;
static constexpr std::size_t kMostThreadsRead = 512;

static std::map<pid_t, ProcessFacts> threadFactsOf(pid_t pid) {
    std::map<pid_t, ProcessFacts> threads;
    const auto text = [](const fs::path& path) { return readFile(path, 1u << 12).value_or(std::string()); };
    std::error_code ec;
    for (fs::directory_iterator at("/proc/" + std::to_string(pid) + "/task", ec), end;
         !ec && at != end && threads.size() < kMostThreadsRead; at.increment(ec)) {
        const std::string name = at->path().filename().string();
        pid_t thread = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{})
            threads[thread] = processFacts(text(at->path() / "stat"), {}, {}, 0, text(at->path() / "schedstat"));
    }
    return threads;
}

double ThreadWaits::measure(std::map<pid_t, ProcessFacts> threads, std::int64_t nowNs) {
    double longest = -1;
    for (const auto& [thread, facts] : threads)
        if (const auto before = m_threads.find(thread); before != m_threads.end())
            longest = std::max(longest, cpuWaitShare(before->second, facts, nowNs - m_atNs));
    m_threads = std::move(threads);
    m_atNs = nowNs;
    return longest;
}

void ThreadWaits::addTo(diagnosis::ResourceView& view, pid_t pid, std::int64_t nowNs) {
    if (view.cpuShare < 0 || view.cpuShare >= kLittleCpu) {
        m_threads.clear();
        return;
    }
    const double longest = measure(threadFactsOf(pid), nowNs);
    if (longest >= kNearlyAlways)
        view.cpuWaitShare = std::max(view.cpuWaitShare, longest);
}

} // namespace rankscope::launch
