// SPDX-License-Identifier: Apache-2.0
#include "core/base/process/process_identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace rankscope {

bool isOwnProcNamespace() {
    char target[32];
    const ssize_t n = ::readlink("/proc/self", target, sizeof target);
    return n > 0 && std::string(target, static_cast<std::size_t>(n)) == std::to_string(::getpid());
}

std::optional<ProcessStat> processStat(pid_t pid) {
    const bool itself = pid == ::getpid();
    if (pid <= 0 || (!itself && !isOwnProcNamespace()))
        return std::nullopt;
    const std::string path = "/proc/" + (itself ? "self" : std::to_string(pid)) + "/stat";
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return std::nullopt;
    char text[1024];
    const ssize_t n = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (n <= 0)
        return std::nullopt;
    text[n] = 0;
    // the command name is in parentheses and may itself contain parentheses and spaces
    const char* after = std::strrchr(text, ')');
    if (!after)
        return std::nullopt;
    ProcessStat s;
    int parent = 0, group = 0;
    unsigned long user = 0, system = 0;
    unsigned long long start = 0;
    long rss = 0;
    if (std::sscanf(after + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu %*u %ld",
                    &s.state, &parent, &group, &user, &system, &start, &rss) != 7)
        return std::nullopt;
    const long hz = ::sysconf(_SC_CLK_TCK);
    s.parent = parent;
    s.group = group;
    s.startTicks = start;
    s.cpuNs = static_cast<std::int64_t>(user + system) * (1'000'000'000 / hz);
    if (s.state == 'Z')
        if (const char* last = std::strrchr(after, ' '); last)
            s.exitStatus = std::atoi(last); // the last field
    s.rssBytes = std::int64_t{rss} * ::sysconf(_SC_PAGESIZE);
    return s;
}

bool isSameProcess(pid_t pid, std::uint64_t startTicks) {
    const auto s = processStat(pid);
    return s && startTicks != 0 && s->startTicks == startTicks && s->state != 'Z' && s->state != 'X';
}

} // namespace rankscope
