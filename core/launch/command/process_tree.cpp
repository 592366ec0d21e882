// SPDX-License-Identifier: Apache-2.0
#include "core/launch/command/process_tree.h"

#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

namespace rankscope::launch {

static std::vector<pid_t> allProcesses() {
    std::vector<pid_t> all;
    std::error_code ec;
    for (const auto& entry : entriesOf("/proc", ec)) {
        const std::string name = entry.path().filename().string();
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc() && end == name.data() + name.size())
            all.push_back(pid);
    }
    return all;
}

std::vector<pid_t> descendantsOf(pid_t ancestor) {
    std::vector<std::pair<pid_t, pid_t>> parents; // of each process
    for (const pid_t pid : allProcesses())
        if (const auto stat = processStat(pid))
            parents.emplace_back(pid, stat->parent);
    std::vector<pid_t> found{ancestor};
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const auto& [pid, parent] : parents)
            if (parent == found[i] && pid != ancestor)
                found.push_back(pid);
    found.erase(found.begin());
    return found;
}

std::vector<pid_t> processesWith(std::string_view variable) {
    constexpr std::size_t kMostEnvironment = 4u << 20;
    const std::string wanted = std::string(1, '\0') + std::string(variable) + '\0';
    std::vector<pid_t> found;
    if (!isOwnProcNamespace())
        return found;
    for (const pid_t pid : allProcesses()) {
        const std::string folder = fmt::format("/proc/{}", pid);
        struct stat owner {};
        if (pid == ::getpid() || ::stat(folder.c_str(), &owner) != 0 || owner.st_uid != ::geteuid())
            continue;
        const UniqueFd fd(::open((folder + "/environ").c_str(), O_RDONLY | O_CLOEXEC));
        const auto text = fd ? readAll(fd.get(), kMostEnvironment, folder) : Result<std::string>();
        if (text && (std::string(1, '\0') + *text).find(wanted) != std::string::npos)
            found.push_back(pid);
    }
    return found;
}

} // namespace rankscope::launch
