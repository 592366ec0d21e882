// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/process_usage.h"

#include "core/base/files/file.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace rankscope::launch {

namespace fs = std::filesystem;

static constexpr std::int64_t kNoLimit = INT64_MAX;
static constexpr std::int64_t kMostBytes = std::int64_t{1} << 60; ///< version 1 writes "none" as a number near 2^63
static constexpr int kDeepest = 32;                               ///< groups within groups

/// Calls take(line) for each line.
template <class F> static void eachLine(std::string_view text, F take) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

static std::int64_t number(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    std::int64_t value = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool ends = read.ptr == text.data() + text.size() || *read.ptr == ' ' || *read.ptr == '\n';
    return read.ec == std::errc{} && ends && value >= 0 ? value : -1;
}

std::int64_t numberOf(std::string_view text, std::string_view key) {
    std::int64_t found = -1;
    eachLine(text, [&](std::string_view line) {
        if (found < 0 && line.starts_with(key) && line.size() > key.size() &&
            (line[key.size()] == ' ' || line[key.size()] == '\t'))
            found = number(line.substr(key.size()));
    });
    return found;
}

std::int64_t soleNumber(std::string_view text, std::int64_t unlimited) {
    if (text == "max" || text == "max\n")
        return unlimited;
    const std::int64_t value = number(text);
    return value >= kMostBytes ? unlimited : value;
}

/// Returns a value that /proc gives in kilobytes, in bytes.
static std::int64_t kilobytes(std::string_view text, std::string_view key) {
    const std::int64_t kb = numberOf(text, key);
    return kb < 0 || kb >= kMostBytes / 1024 ? -1 : kb * 1024;
}

/// Returns the words between blanks, at most 64 of them.
static std::vector<std::string_view> wordsOf(std::string_view rest) {
    std::vector<std::string_view> fields;
    while (!rest.empty() && fields.size() < 64) {
        const auto begin = rest.find_first_not_of(" \n");
        if (begin == std::string_view::npos)
            break;
        rest.remove_prefix(begin);
        const auto end = std::min(rest.find_first_of(" \n"), rest.size());
        fields.push_back(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    return fields;
}

/// Returns the fields of /proc/PID/stat after the name, which may itself hold brackets and blanks; the first is the
/// state.
static std::vector<std::string_view> fieldsOf(std::string_view stat) {
    const auto bracket = stat.rfind(')');
    return bracket == std::string_view::npos ? std::vector<std::string_view>() : wordsOf(stat.substr(bracket + 1));
}

ProcessFacts processFacts(std::string_view stat, std::string_view status, std::string_view io,
                          std::int64_t ticksPerSecond, std::string_view schedstat) {
    ProcessFacts facts;
    const auto fields = fieldsOf(stat);
    if (fields.size() > 12 && ticksPerSecond > 0) { // proc(5): majflt is field 12 of all, utime 14, stime 15
        facts.majorFaults = number(fields[9]);
        const std::int64_t user = number(fields[11]), system = number(fields[12]);
        const std::int64_t nsPerTick = 1'000'000'000 / ticksPerSecond;
        if (user >= 0 && system >= 0 && user < kMostBytes / nsPerTick && system < kMostBytes / nsPerTick)
            facts.cpuNs = (user + system) * nsPerTick;
    }
    facts.rssBytes = kilobytes(status, "VmRSS:");
    facts.swapBytes = kilobytes(status, "VmSwap:");
    facts.writtenBytes = numberOf(io, "write_bytes:");
    facts.isRunnable = !fields.empty() && fields[0] == "R";
    if (const auto times = wordsOf(schedstat); times.size() > 1) { // running, waiting, number of time slices
        facts.cpuRunNs = number(times[0]);
        facts.cpuWaitNs = number(times[1]);
    }
    return facts;
}

double cpuWaitShare(const ProcessFacts& before, const ProcessFacts& now, std::int64_t ns) {
    if (ns <= 0 || before.cpuRunNs < 0 || before.cpuWaitNs < 0 || now.cpuWaitNs < before.cpuWaitNs)
        return -1;
    if (before.isRunnable && now.isRunnable && now.cpuRunNs == before.cpuRunNs) // a wait is counted when it ends
        return 1;
    return static_cast<double>(now.cpuWaitNs - before.cpuWaitNs) / static_cast<double>(ns);
}

WorkerFacts workerFacts(std::string_view stat, std::string_view status) {
    constexpr std::size_t kExitStatus = 49; // proc(5): field 52 of all, as wait(2) returns it
    WorkerFacts facts;
    const auto begin = stat.find('('), end = stat.rfind(')');
    if (begin != std::string_view::npos && end != std::string_view::npos && begin < end)
        facts.name = stat.substr(begin + 1, end - begin - 1);
    const auto fields = fieldsOf(stat);
    facts.isZombie = !fields.empty() && (fields[0] == "Z" || fields[0] == "X");
    if (const std::int64_t ended = fields.size() > kExitStatus ? number(fields[kExitStatus]) : -1;
        facts.isZombie && ended >= 0) {
        facts.signal = static_cast<int>(ended & 0x7f);
        facts.exitCode = facts.signal == 0 ? static_cast<int>(ended >> 8 & 0xff) : 0;
    }
    const std::int64_t own = kilobytes(status, "RssAnon:");
    facts.rssBytes = own >= 0 ? own : kilobytes(status, "VmRSS:");
    return facts;
}

std::vector<int> childrenIn(std::string_view children) {
    std::vector<int> pids;
    while (!children.empty()) {
        const std::string_view word = children.substr(0, std::min(children.find_first_of(" \n"), children.size()));
        children.remove_prefix(std::min(word.size() + 1, children.size()));
        if (const std::int64_t pid = number(word); pid > 0 && pid <= INT32_MAX)
            pids.push_back(static_cast<int>(pid));
    }
    return pids;
}

namespace {

struct Groups {
    std::string memory, cpu;
    bool memoryV1 = false, cpuV1 = false;
};

} // namespace

static Groups groupsOf(std::string_view membership) {
    Groups groups;
    eachLine(membership, [&](std::string_view line) {
        const auto first = line.find(':');
        const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos)
            return;
        const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
        const std::string path(line.substr(second + 1));
        if (path.empty() || path.front() != '/' || path.find("..") != std::string::npos)
            return;
        if (controllers == ",,") { // version 2
            groups.memory = groups.memoryV1 ? groups.memory : path;
            groups.cpu = groups.cpuV1 ? groups.cpu : path;
        }
        if (controllers.find(",memory,") != std::string::npos)
            groups.memory = path, groups.memoryV1 = true;
        if (controllers.find(",cpu,") != std::string::npos)
            groups.cpu = path, groups.cpuV1 = true;
    });
    return groups;
}

static std::string textOf(const fs::path& file) {
    return readFile(file, 1u << 20).value_or(std::string());
}

/// Decodes a path of mountinfo, in which blanks and the like are three octal digits.
static std::string unescaped(std::string_view text) {
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int code = 0;
        const char* digits = text.data() + i + 1;
        const bool escaped = text[i] == '\\' && text.size() - i > 3 &&
                             std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3 && code > 0 && code < 256;
        path += escaped ? static_cast<char>(code) : text[i];
        i += escaped ? 3 : 0;
    }
    return path;
}

GroupMounts groupMounts(std::string_view mountinfo) {
    GroupMounts mounts;
    // proc(5): number, parent, device, root, mount point, options, … - type, source, options of the hierarchy
    eachLine(mountinfo, [&](std::string_view line) {
        const auto fields = wordsOf(line);
        const auto dash = std::find(fields.begin(), fields.end(), std::string_view("-"));
        if (dash - fields.begin() < 5 || fields.end() - dash < 4)
            return;
        const GroupMount mount{unescaped(fields[4]), unescaped(fields[3])};
        const std::string options = "," + std::string(dash[3]) + ",";
        const auto take = [&](std::optional<GroupMount>& to) { to = to ? to : mount; };
        if (dash[1] == "cgroup2")
            take(mounts.unified);
        else if (dash[1] == "cgroup" && options.find(",memory,") != std::string::npos)
            take(mounts.memory);
        if (dash[1] == "cgroup" && options.find(",cpu,") != std::string::npos)
            take(mounts.cpu);
    });
    return mounts;
}

GroupMounts usualGroupMounts(const fs::path& root) {
    return {GroupMount{root / "memory"}, GroupMount{root / "cpu"}, GroupMount{root}};
}

/// Lists folders from the group itself outwards. A container often sees only the outermost, under the host's name.
static std::vector<fs::path> outwards(const std::optional<GroupMount>& mount, std::string path) {
    std::vector<fs::path> folders;
    if (!mount)
        return folders;
    const bool below =
        path.starts_with(mount->group) && (path.size() == mount->group.size() || path[mount->group.size()] == '/');
    if (mount->group != "/" && below)
        path.erase(0, mount->group.size());
    fs::path at = fs::path(path).lexically_normal();
    while (folders.size() < kDeepest) {
        folders.push_back(mount->at / at.relative_path());
        if (at.relative_path().empty())
            break;
        at = at.parent_path();
    }
    return folders;
}

static void tighten(GroupFacts& facts, std::int64_t used, std::int64_t limit) {
    if (used < 0 || limit <= 0 || limit == kNoLimit)
        return;
    if (facts.memoryLimitBytes < 0 || limit - used < facts.memoryLimitBytes - facts.memoryUsedBytes) {
        facts.memoryLimitBytes = limit;
        facts.memoryUsedBytes = used;
    }
}

static void readMemory(GroupFacts& facts, const fs::path& folder, bool v1) {
    const auto limit = soleNumber(textOf(folder / (v1 ? "memory.limit_in_bytes" : "memory.max")), kNoLimit);
    if (limit < 0 || limit == kNoLimit)
        return;
    const auto used = soleNumber(textOf(folder / (v1 ? "memory.usage_in_bytes" : "memory.current")), kNoLimit);
    const auto unused = numberOf(textOf(folder / "memory.stat"), v1 ? "total_inactive_file" : "inactive_file");
    tighten(facts, used < 0 ? -1 : std::max<std::int64_t>(0, used - std::max<std::int64_t>(0, unused)), limit);
}

/// Returns the processors that a group's quota allows; -1: there is none, or it cannot be read.
static double quotaIn(const fs::path& folder, bool v1) {
    std::int64_t quota = -1, period = -1;
    if (v1) {
        quota = soleNumber(textOf(folder / "cpu.cfs_quota_us"), -1); // "-1": none
        period = soleNumber(textOf(folder / "cpu.cfs_period_us"), -1);
    } else { // "8000 100000", "max 100000"
        const std::string text = textOf(folder / "cpu.max");
        const auto words = wordsOf(text);
        quota = words.size() == 2 ? number(words[0]) : -1;
        period = words.size() == 2 ? number(words[1]) : -1;
    }
    return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : -1;
}

/// Keeps the group with the smallest quota or, if no quota can be read, the one that counts most periods: groups
/// without a quota do not count them.
static void readCpu(GroupFacts& facts, const fs::path& folder, bool v1) {
    const std::string stat = textOf(folder / "cpu.stat");
    const std::int64_t periods = numberOf(stat, "nr_periods"), throttled = numberOf(stat, "nr_throttled");
    const std::int64_t held = v1 ? numberOf(stat, "throttled_time") : numberOf(stat, "throttled_usec");
    const double quota = quotaIn(folder, v1);
    const bool tighter = quota > 0 && (facts.cpuQuota < 0 || quota < facts.cpuQuota);
    const bool counts = facts.cpuQuota < 0 && periods > facts.periods;
    if (tighter)
        facts.cpuQuota = quota;
    if ((!tighter && !counts) || periods < 0 || throttled < 0)
        return;
    facts.periods = periods;
    facts.throttledPeriods = throttled;
    facts.throttledNs = v1 || held < 0 ? held : held < kMostBytes / 1000 ? held * 1000 : -1;
}

GroupFacts groupFacts(std::string_view membership, std::string_view meminfo, const GroupMounts& mounts) {
    GroupFacts facts;
    const std::int64_t total = kilobytes(meminfo, "MemTotal:"), available = kilobytes(meminfo, "MemAvailable:");
    if (total > 0 && available >= 0)
        tighten(facts, std::max<std::int64_t>(0, total - available), total);
    const Groups groups = groupsOf(membership);
    if (!groups.memory.empty())
        for (const auto& folder : outwards(groups.memoryV1 ? mounts.memory : mounts.unified, groups.memory))
            readMemory(facts, folder, groups.memoryV1);
    if (!groups.cpu.empty())
        for (const auto& folder : outwards(groups.cpuV1 ? mounts.cpu : mounts.unified, groups.cpu))
            readCpu(facts, folder, groups.cpuV1);
    return facts;
}

std::optional<fs::path> memoryKillsFile(std::string_view membership, const GroupMounts& mounts) {
    const Groups groups = groupsOf(membership);
    if (groups.memory.empty())
        return std::nullopt;
    for (const auto& folder : outwards(groups.memoryV1 ? mounts.memory : mounts.unified, groups.memory)) {
        std::error_code ec;
        if (fs::is_directory(folder, ec)) // the groups around it count others' processes as well
            return folder / (groups.memoryV1 ? "memory.oom_control" : "memory.events");
    }
    return std::nullopt;
}

} // namespace rankscope::launch
