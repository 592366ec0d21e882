// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/host_facts.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/process/process_identity.h"
#include "core/base/text/terminal_safe.h"
#include "core/launch/host/device_assignment.h"
#include "core/launch/host/memory_kills.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

namespace rankscope::launch {

std::string hostName() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string bootId() {
    auto text = readFile("/proc/sys/kernel/random/boot_id", 256);
    if (!text)
        return {};
    text->erase(text->find_last_not_of(" \t\r\n") + 1); // npos + 1 is the beginning
    return *text;
}

std::string userName(std::uint32_t number) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> text{};
    const bool known = ::getpwuid_r(number, &entry, text.data(), text.size(), &found) == 0 && found;
    return known ? printableLine(found->pw_name) : "";
}

/// Returns the link's target; empty: there is no such link.
static std::string linkTo(const char* path) {
    std::error_code ec;
    const auto target = std::filesystem::read_symlink(path, ec);
    return ec ? std::string() : target.string();
}

std::string processNamespaces() {
    if (!isOwnProcNamespace())
        return {};
    return fmt::format("{} {}", linkTo("/proc/self/ns/pid"), linkTo("/proc/self/ns/time"));
}

int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

static int nvidiaGpus() {
    int count = 0;
    std::error_code ec;
    for (const auto& entry : entriesOf("/dev", ec)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("nvidia", 0) == 0 && name.size() > 6 &&
            std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c); }))
            ++count;
    }
    return count;
}

Machine thisMachine() {
    Machine machine{nvidiaGpus(), usableCores(), std::nullopt};
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        machine.visible = visibleGpus(visible, machine.gpus);
        machine.gpus = static_cast<int>(machine.visible->size());
    }
    return machine;
}

std::int64_t outOfMemoryKills() {
    auto membership = readFile("/proc/self/cgroup", 1u << 16);
    std::istringstream lines(membership ? *membership : std::string{});
    for (std::string line; std::getline(lines, line);) {
        const auto second = line.rfind(':');
        if (second == std::string::npos)
            continue;
        const std::string path = line.substr(second + 1);
        std::int64_t kills = -1;
        if (line.rfind("0::", 0) == 0)
            kills = memoryKillsIn("/sys/fs/cgroup" + path + "/memory.events");
        else if (line.find(":memory:") != std::string::npos)
            kills = memoryKillsIn("/sys/fs/cgroup/memory" + path + "/memory.oom_control");
        if (kills >= 0)
            return kills;
    }
    return memoryKillsIn("/proc/vmstat");
}

/// Returns where the escape sequence that begins at `at` ends (colors, cursor movements).
static std::size_t afterEscape(std::string_view line, std::size_t at) {
    if (++at >= line.size() || line[at] != '[')
        return at;
    for (++at; at < line.size(); ++at)
        if (line[at] >= '@' && line[at] <= '~')
            return at + 1;
    return at;
}

/// Returns a log's line as a terminal would show it, without its colors.
static std::string shownLine(std::string_view line) {
    std::string plain;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '\033') {
            at = afterEscape(line, at);
            continue;
        }
        if (line[at] != '\r' && line[at] != '\a' && line[at] != '\b')
            plain += line[at];
        ++at;
    }
    std::string out = printableLine(plain);
    constexpr std::size_t kLongest = 300;
    if (out.size() > kLongest) {
        std::size_t cut = kLongest;
        while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xc0) == 0x80)
            --cut;
        out = out.substr(0, cut) + "…";
    }
    return out;
}

std::vector<std::string> lastLogLines(const std::string& path, int lines, GuardedFolder::Depth depth) {
    const auto file = openRunFile(path, depth);
    if (!file)
        return {};
    constexpr std::uint64_t kWindow = 16 << 10; // a rank may have flooded its log, so only the end is read
    std::string text(std::min(file->bytes, kWindow), '\0');
    const ssize_t n = ::pread(file->fd.get(), text.data(), text.size(), static_cast<off_t>(file->bytes - text.size()));
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    std::vector<std::string> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (auto clean = shownLine(line); clean.find_first_not_of(' ') != std::string::npos)
            found.push_back(std::move(clean));
    if (found.size() > static_cast<std::size_t>(lines))
        found.erase(found.begin(), found.end() - lines);
    return found;
}

} // namespace rankscope::launch
