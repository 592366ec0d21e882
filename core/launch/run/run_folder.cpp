// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_folder.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/supervisor_life.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <system_error>
#include <tuple>

namespace rankscope::launch {

namespace fs = std::filesystem;

Result<RunInfo> readRunInfo(const RunPaths& run) {
    auto info = recordedRunInfo(run);
    if (!info || !isLive(info->state))
        return info;
    info->supervisor = supervisorLife(run, *info);
    if (info->supervisor == SupervisorLife::Gone)
        info->state = RunState::Lost;
    return info;
}

namespace {

/// The clocks at one moment.
struct Moment {
    std::int64_t realtime = realtimeNs(), monotonic = monotonicNs();
    std::string boot = bootId();

    /// When a run began, by the monotonic clock, as a time of today's wall clock. None: the clock was another boot's.
    std::optional<std::int64_t> beganNs(const RunInfo& info) const {
        if (boot.empty() || info.bootId != boot || info.startNs <= 0 || info.startNs > monotonic)
            return std::nullopt;
        return realtime - (monotonic - info.startNs);
    }
};

} // namespace

std::int64_t ageNs(const RunInfo& info) {
    const Moment now;
    // the earlier of both: the wall clock may have been set back, and the monotonic clock stops while the machine
    // sleeps
    const std::int64_t began = std::min(info.startRealtimeNs, now.beganNs(info).value_or(info.startRealtimeNs));
    return std::max<std::int64_t>(0, now.realtime - began);
}

static bool looksLikeRun(const fs::path& dir) {
    std::error_code ec;
    return fs::exists(dir / "run.json", ec) || (fs::exists(dir / "config.yaml", ec) && fs::exists(dir / "ranks", ec));
}

static std::int64_t modifiedNs(const fs::path& path) {
    std::error_code ec;
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
    entry.info.startRealtimeNs = modifiedNs(dir); // damaged: where it sorts
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
        // a name with a dot in front is a folder that is still being made
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
    return fail(Errc::BadInput, fmt::format("{} runs match ({}); write more of the name", matches.size(), names), what);
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
    if (what.find('/') != std::string::npos)
        return fail(Errc::NotFound, "is not a Rankscope run (no run.json)", what);
    RS_TRY_ASSIGN(auto runs, listRuns(runsDir));
    if (runs.empty())
        return fail(Errc::NotFound, fmt::format("no such run: there is no run in {}", runsDir.string()), what);
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
    return fail(Errc::NotFound, fmt::format("no such run in {}; 'rankscopectl list' names them", runsDir.string()),
                what);
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
