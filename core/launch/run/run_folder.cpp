// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_folder.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/run_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>

namespace rankscope::launch {

namespace fs = std::filesystem;

static bool isThisBoot(const RunInfo& info) {
    static const std::string boot = bootId();
    return !info.bootId.empty() && info.bootId == boot;
}

/// The host's name does not count: it can be changed, and containers of one pod share it.
static bool isKnownToSeeProcesses(const RunInfo& info) {
    static const std::string namespaces = processNamespaces();
    return isThisBoot(info) && !info.namespaces.empty() && info.namespaces == namespaces;
}

bool seesProcesses(const RunInfo& info) {
    if (!info.namespaces.empty())
        return isKnownToSeeProcesses(info);
    // an older run: probably so, and the process number and start time must match as well
    return isThisBoot(info) && info.host == hostName();
}

/// None: there is no such process.
static std::optional<SupervisorLife> lifeOfProcess(const RunInfo& info) {
    const auto stat = processStat(info.supervisorPid);
    if (!stat || stat->startTicks != info.supervisorStartTicks || stat->state == 'Z' || stat->state == 'X')
        return std::nullopt;
    return stat->state == 'T' ? SupervisorLife::Stopped : SupervisorLife::Alive;
}

/// /proc does not show other users' processes everywhere (hidepid); kill() still reveals that they exist.
static bool isHidden(pid_t pid) {
    return pid > 0 && !processStat(pid) && ::kill(pid, 0) != 0 && errno == EPERM;
}

std::string folderIdentity(const fs::path& folder) {
    struct statx st {};
    if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &st) != 0 || (st.stx_mask & STATX_INO) == 0)
        return {};
    if ((st.stx_mask & STATX_BTIME) == 0)
        return fmt::format("{}", st.stx_ino);
    return fmt::format("{} {}.{:09}", st.stx_ino, st.stx_btime.tv_sec, st.stx_btime.tv_nsec);
}

bool isCopy(const RunPaths& run, const RunInfo& info) {
    const std::string now = info.folder.empty() ? std::string() : folderIdentity(run.dir);
    if (now.empty())
        return false;
    // the birth time is not known everywhere
    const auto inode = [](const std::string& identity) { return identity.substr(0, identity.find(' ')); };
    const bool both = now.find(' ') != std::string::npos && info.folder.find(' ') != std::string::npos;
    return both ? now != info.folder : inode(now) != inode(info.folder);
}

/// The lock of a copy that was made of hard links is the original run's lock.
static bool isLinked(const fs::path& file) {
    struct stat st {};
    return ::lstat(file.c_str(), &st) == 0 && st.st_nlink > 1;
}

/// Whether a live process supervises this folder, and not the one that this is a copy of. A process that is ending
/// releases its lock a moment before it is gone.
static bool holdsFolder(const RunPaths& run, const RunInfo& info, RunLock::LockHolder holder) {
    if (isCopy(run, info))
        return holder == RunLock::LockHolder::Supervisor && !isLinked(run.lock());
    if (holder != RunLock::LockHolder::Nobody && holder != RunLock::LockHolder::Recovery)
        return true;
    constexpr int kTries = 5;
    for (int tries = 0; tries < kTries && lifeOfProcess(info); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return false;
}

static SupervisorLife lifeByLock(const RunPaths& run, const RunInfo& info, RunLock::LockHolder holder, bool seen) {
    switch (holder) {
    case RunLock::LockHolder::Supervisor:
        return isCopy(run, info) && isLinked(run.lock()) ? SupervisorLife::Gone : SupervisorLife::Alive;
    case RunLock::LockHolder::Nobody:
    case RunLock::LockHolder::Absent:
    case RunLock::LockHolder::Recovery:
        return SupervisorLife::Gone;
    case RunLock::LockHolder::Unknown:
        break;
    }
    return seen ? SupervisorLife::Gone : SupervisorLife::Unknown;
}

/// For a run whose recorded state is live. The supervisor is the process with the recorded number and start time that
/// holds the lock of this folder. If the process is not found, or its number is not valid here, the lock alone decides:
/// the kernel releases it when its holder has ended.
static SupervisorLife supervisorLife(const RunPaths& run, RunInfo& info) {
    const auto holder = RunLock::holder(run.lock());
    const bool seen = seesProcesses(info);
    info.copied = isCopy(run, info);
    if (const auto life = seen ? lifeOfProcess(info) : std::nullopt) {
        if (holdsFolder(run, info, holder))
            return *life;
        info.copied = info.copied || lifeOfProcess(info);
        return SupervisorLife::Gone;
    }
    const bool hidden = seen && isHidden(info.supervisorPid);
    if (isKnownToSeeProcesses(info) && !hidden)
        return SupervisorLife::Gone; // the lock may be held by a program that brings the run up to date
    return lifeByLock(run, info, holder, seen && !hidden);
}

Message supervisorNotice(const RunInfo& info) {
    if (!isLive(info.state))
        return {};
    if (info.supervisor == SupervisorLife::Stopped)
        return {"its supervisor is stopped; 'kill -CONT {}' resumes it", info.supervisorPid};
    if (info.supervisor == SupervisorLife::Unknown)
        return "it is unknown here whether its supervisor is alive";
    return {};
}

Message whereItRuns(const RunInfo& info) {
    if (isThisBoot(info))
        return {"runs in another container or process namespace of this machine (process {} there)",
                info.supervisorPid};
    return info.host == hostName() ? Message("runs on another machine that is also called {}", info.host)
                                   : Message("runs on host {}", info.host);
}

/// If run.json is gone or damaged, the lock still says which process trains in the folder.
static tl::unexpected<Error> unreadable(const RunPaths& run, Error why) {
    if (const auto supervisor = RunLock::supervisor(run.lock()))
        why.what = {"{}, but its supervisor is alive (process {}): 'rankscopectl stop' stops the run", why.what,
                    supervisor->pid};
    return tl::unexpected(std::move(why));
}

Result<RunInfo> readRunInfo(const RunPaths& run) {
    auto info = recordedRunInfo(run);
    if (!info)
        return unreadable(run, std::move(info.error()));
    if (!isLive(info->state))
        return info;
    info->supervisor = supervisorLife(run, *info);
    if (info->supervisor != SupervisorLife::Gone) {
        info->copied = false;
        return info;
    }
    // the supervisor may have written the end and exited since run.json was read
    if (auto ended = recordedRunInfo(run); ended && !isLive(ended->state))
        return ended;
    info->state = RunState::Lost;
    if (info->copied) {
        info->cause = kCopiedCause;
        info->reason = {EndKind::Copied};
    }
    return info;
}

Result<config::Recipe> recordedRecipe(const RunPaths& run) {
    std::error_code ec;
    if (!fs::exists(run.effective(), ec) && fs::exists(run.runJson(), ec))
        return fail(Errc::NotFound, "has no recipe: Rankscope only watched the program that trained",
                    run.dir.filename().string());
    RS_TRY_ASSIGN(const auto text, readRunFile(run.effective()));
    return config::readRecipe(text, run.effective().string());
}

namespace {

/// Both clocks at one moment.
struct Moment {
    std::int64_t realtime = realtimeNs(), monotonic = monotonicNs();
    std::string boot = bootId();

    /// When a run began by the monotonic clock, in terms of the current wall clock. None: the clock is of another boot.
    std::optional<std::int64_t> beganNs(const RunInfo& info) const {
        if (boot.empty() || info.bootId != boot || info.startNs <= 0 || info.startNs > monotonic)
            return std::nullopt;
        return realtime - (monotonic - info.startNs);
    }
};

} // namespace

std::int64_t ageNs(const RunInfo& info) {
    const Moment now;
    // the earlier of the two: the wall clock may have been set back, and the monotonic clock stops while the machine
    // sleeps
    const std::int64_t began = std::min(info.startRealtimeNs, now.beganNs(info).value_or(info.startRealtimeNs));
    return std::max<std::int64_t>(0, now.realtime - began);
}

static bool looksLikeRun(const fs::path& dir) {
    std::error_code ec;
    return fs::exists(dir / "run.json", ec) || (fs::exists(dir / "config.yaml", ec) && fs::exists(dir / "ranks", ec));
}

/// Returns whether the folder may not be looked into, so that it is not known whether it is a run. A file is no such
/// folder, although it mostly cannot be executed.
static bool isClosed(const fs::path& dir) {
    if (::faccessat(AT_FDCWD, dir.c_str(), X_OK, AT_EACCESS) == 0 || errno != EACCES)
        return false;
    std::error_code ec;
    const bool isFolder = fs::is_directory(dir, ec);
    return isFolder || ec; // with an error, a folder on its path is closed
}

std::size_t closedFolders(const fs::path& runsDir) {
    std::error_code ec, ignored;
    const auto entries = entriesOf(runsDir, ec);
    return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [&](const auto& entry) {
        return entry.path().filename().string().front() != '.' && entry.is_directory(ignored) && isClosed(entry.path());
    }));
}

std::int64_t writtenRealtimeNs(const fs::path& path, std::error_code& ec) {
    const auto when = fs::last_write_time(path, ec);
    if (ec)
        return 0;
    const auto wall = std::chrono::file_clock::to_sys(when).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
}

static RunEntry entryOf(const fs::path& dir) {
    RunEntry entry{RunPaths{dir}, {}, {}};
    if (auto info = readRunInfo(entry.paths)) {
        entry.info = std::move(*info);
        return entry;
    } else {
        entry.problem = info.error().message();
    }
    entry.info.id = entry.info.name = dir.filename().string();
    entry.info.state = RunState::Lost;
    std::error_code ec;
    entry.info.startRealtimeNs = writtenRealtimeNs(dir, ec); // damaged: sorted by this time
    return entry;
}

static fs::path absoluteDir(const fs::path& path) {
    std::error_code ec;
    fs::path whole = fs::absolute(path, ec).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path(); // "dir/" is dir
}

Result<std::vector<RunEntry>> listRuns(const fs::path& runsDir) {
    std::vector<RunEntry> runs;
    std::error_code ec;
    const auto entries = entriesOf(absoluteDir(runsDir), ec);
    if (ec == std::errc::no_such_file_or_directory)
        return runs;
    if (ec)
        return tl::unexpected(systemError("list", runsDir.string(), ec.value()));
    for (const auto& entry : entries) {
        std::error_code ignored;
        // a folder that is still being made has a leading dot
        if (entry.path().filename().string().front() != '.' && entry.is_directory(ignored) &&
            looksLikeRun(entry.path()))
            runs.push_back(entryOf(entry.path()));
    }
    const auto key = [now = Moment()](const RunEntry& run) {
        const RunInfo& info = run.info;
        return std::tuple(now.beganNs(info).value_or(info.startRealtimeNs), info.startRealtimeNs, info.id);
    };
    std::sort(runs.begin(), runs.end(), [&](const RunEntry& a, const RunEntry& b) { return key(a) > key(b); });
    return runs;
}

static Result<RunPaths> oneOf(const std::vector<const RunEntry*>& matches, const std::string& what) {
    if (matches.size() == 1)
        return matches.front()->paths;
    std::string names;
    for (std::size_t i = 0; i < matches.size() && i < 5; ++i)
        names += (i ? ", " : "") + matches[i]->info.id;
    if (matches.size() > 5)
        names += ", …";
    return fail(Errc::BadInput, {"{} runs match ({}); give more of the name", matches.size(), names}, what);
}

std::vector<GuardedFolder> rankFolders(const RunPaths& run) {
    std::vector<GuardedFolder> folders;
    std::error_code ec;
    if (const auto ranks = GuardedFolder::open(run.dir / "ranks", GuardedFolder::Ranks))
        for (const std::string& name : ranks->names(ec))
            if (auto rank = ranks->folder(name))
                folders.push_back(std::move(*rank));
    return folders;
}

bool isCheckpointName(const std::string& name) {
    return name.ends_with(".safetensors") && !name.starts_with('.');
}

bool hasCheckpoint(const RunPaths& run) {
    const auto folder = GuardedFolder::open(run.checkpoints(), GuardedFolder::Checkpoints);
    if (!folder)
        return false;
    std::error_code ec;
    const auto names = folder->names(ec);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return isCheckpointName(name) && folder->hasFile(name); });
}

Result<RunPaths> findRun(const fs::path& runsDir, const std::string& what) {
    if (what.empty())
        return fail(Errc::BadInput, "no run was named");
    std::error_code ec;
    if (fs::is_directory(what, ec) && looksLikeRun(what))
        return RunPaths{absoluteDir(what)};
    const bool isPath = what.find('/') != std::string::npos;
    if (isClosed(isPath ? fs::path(what) : runsDir / what))
        return fail(Errc::Permission, "cannot be read by you: ask its owner for access", what);
    if (isPath)
        return fail(Errc::NotFound, "is not a Rankscope run (no run.json)", what);
    RS_TRY_ASSIGN(auto runs, listRuns(runsDir));
    if (runs.empty())
        return fail(Errc::NotFound, {"no such run: there is no run in {}", runsDir.string()}, what);
    if (what == "last")
        return runs.front().paths;
    std::vector<const RunEntry*> starts, holds;
    for (const auto& run : runs) {
        if (run.info.id == what)
            return run.paths;
        if (run.info.id.rfind(what, 0) == 0)
            starts.push_back(&run);
        if (run.info.id.find(what) != std::string::npos)
            holds.push_back(&run);
    }
    if (!starts.empty())
        return oneOf(starts, what);
    if (!holds.empty())
        return oneOf(holds, what);
    return fail(Errc::NotFound, {"no such run in {}; 'rankscopectl list' lists the runs", runsDir.string()}, what);
}

static std::string sanitised(std::string_view name) {
    std::string out;
    for (const unsigned char c : name)
        if (std::isalnum(c) || c == '_' || c == '.')
            out += static_cast<char>(c);
        else if (!out.empty() && out.back() != '-')
            out += '-';
    out.resize(std::min<std::size_t>(out.size(), 40));
    const auto first = out.find_first_not_of("-.");
    const auto last = out.find_last_not_of("-.");
    return first == std::string::npos ? "run" : out.substr(first, last - first + 1);
}

std::string newRunId(const std::string& name, std::int64_t realtime) {
    std::uint16_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = static_cast<std::uint16_t>(monotonicNs() >> 8);
    return fmt::format("{:%Y%m%d-%H%M%S}-{}-{:04x}", fmt::localtime(static_cast<std::time_t>(realtime / 1'000'000'000)),
                       sanitised(name), random);
}

void removeRunFolder(const RunPaths& run) {
    std::error_code ec;
    fs::remove_all(run.dir, ec);
}

} // namespace rankscope::launch
