// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_folder.h"

#include "core/base/files/directory_listing.h"
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/supervisor_life.h"
#include "core/telemetry/format/limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <tuple>

namespace rankscope::launch {

namespace fs = std::filesystem;
using nlohmann::json;

static constexpr std::array<std::string_view, 8> kStateNames{"starting", "running", "stopping", "finished",
                                                             "failed",   "stopped", "lost",     "imported"};
static constexpr int kRunFormat = 1;

std::string_view runStateName(RunState state) {
    const auto index = static_cast<std::size_t>(state);
    return index < kStateNames.size() ? kStateNames[index] : "unknown";
}

bool isLive(RunState state) {
    return state == RunState::Starting || state == RunState::Running || state == RunState::Stopping;
}

std::string_view supervisorLifeName(SupervisorLife life) {
    static constexpr std::array<std::string_view, 4> kNames{"gone", "alive", "stopped", "unknown"};
    const auto index = static_cast<std::size_t>(life);
    return index < kNames.size() ? kNames[index] : "unknown";
}

static json toJson(const RunInfo& i) {
    json versions = json::object();
    for (const auto& [name, version] : i.versions)
        versions[name] = version;
    return json{{"format", kRunFormat},
                {"id", i.id},
                {"name", i.name},
                {"state", runStateName(i.state)},
                {"world_size", i.worldSize},
                {"total_steps", i.totalSteps},
                {"supervisor_pid", i.supervisorPid},
                {"supervisor_start_ticks", i.supervisorStartTicks},
                {"host", i.host},
                {"boot_id", i.bootId},
                {"namespaces", i.namespaces},
                {"start_ns", i.startNs},
                {"start_realtime_ns", i.startRealtimeNs},
                {"end_realtime_ns", i.endRealtimeNs},
                {"cause", i.cause},
                {"exit_code", i.exitCode},
                {"argv", i.argv},
                {"config_path", i.configPath},
                {"faults", i.faults},
                {"rank_pids", i.rankPids},
                {"rank_start_ticks", i.rankStartTicks},
                {"versions", versions},
                {"tags", i.tags},
                {"overrides", i.overrides},
                {"ranks_asked", i.ranksAsked},
                {"resumed_from", i.resumedFrom},
                {"relaunched_from", i.relaunchedFrom},
                {"drawn_seed", i.drawnSeed},
                {"imported_from", i.importedFrom}};
}

static RunState stateOf(const std::string& name) {
    const auto at = std::find(kStateNames.begin(), kStateNames.end(), name);
    if (at == kStateNames.end())
        throw std::invalid_argument(fmt::format("unknown state '{}'", name));
    return static_cast<RunState>(at - kStateNames.begin());
}

/// Throws what nlohmann throws; readRunInfo turns that into an Error.
static RunInfo fromJson(const json& j) {
    const auto read = [&j](const char* key, auto& into) {
        try {
            readInto(j.at(key), into);
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(fmt::format("{}: {}", key, e.what()));
        }
    };
    int format = 0;
    read("format", format);
    if (format > kRunFormat)
        throw std::invalid_argument(fmt::format("format {} is newer than this program's {}", format, kRunFormat));
    RunInfo i;
    read("name", i.name);
    i.state = stateOf(j.at("state").get<std::string>());
    read("world_size", i.worldSize);
    read("total_steps", i.totalSteps);
    read("supervisor_pid", i.supervisorPid);
    read("supervisor_start_ticks", i.supervisorStartTicks);
    read("host", i.host);
    read("boot_id", i.bootId);
    read("start_ns", i.startNs);
    read("start_realtime_ns", i.startRealtimeNs);
    read("end_realtime_ns", i.endRealtimeNs);
    read("cause", i.cause);
    read("exit_code", i.exitCode);
    read("argv", i.argv);
    read("config_path", i.configPath);
    read("faults", i.faults);
    read("rank_pids", i.rankPids);
    read("rank_start_ticks", i.rankStartTicks);
    for (const auto& [name, version] : j.at("versions").items())
        i.versions.emplace_back(name, version.get<std::string>());
    read("tags", i.tags);
    i.namespaces = j.value("namespaces", "");
    i.overrides = j.value("overrides", std::vector<std::string>());
    if (j.contains("ranks_asked"))
        read("ranks_asked", i.ranksAsked);
    i.resumedFrom = j.value("resumed_from", "");
    i.relaunchedFrom = j.value("relaunched_from", "");
    if (j.contains("drawn_seed"))
        read("drawn_seed", i.drawnSeed);
    i.importedFrom = j.value("imported_from", "");
    using telemetry::kMaxRanks;
    if (i.worldSize < 1 || i.worldSize > kMaxRanks)
        throw std::invalid_argument(fmt::format("world_size {} is not between 1 and {}", i.worldSize, kMaxRanks));
    if (i.ranksAsked < 0 || i.ranksAsked > kMaxRanks)
        throw std::invalid_argument(fmt::format("ranks_asked {} is not between 0 and {}", i.ranksAsked, kMaxRanks));
    for (const auto& [key, ns] : {std::pair("start_ns", i.startNs), std::pair("start_realtime_ns", i.startRealtimeNs),
                                  std::pair("end_realtime_ns", i.endRealtimeNs)})
        if (ns < 0 || ns > telemetry::kLatestRealtimeNs)
            throw std::invalid_argument(fmt::format("{} {} is no time", key, ns));
    if (i.rankPids.size() != i.rankStartTicks.size())
        throw std::invalid_argument("rank_pids and rank_start_ticks differ in length");
    return i;
}

std::string runInfoText(const RunInfo& info) {
    // a command line or a cause taken from a log may hold bytes that are no UTF-8
    return toJson(info).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<void> writeRunInfo(const RunPaths& run, const RunInfo& info) {
    return writeRunFile(run.runJson(), runInfoText(info));
}

Result<RunInfo> recordedRunInfo(const RunPaths& run) {
    RS_TRY_ASSIGN(auto text, readRunFile(run.runJson(), 4u << 20));
    RunInfo info;
    try {
        info = fromJson(json::parse(text));
    } catch (const std::exception& e) {
        return fail(Errc::Malformed, fmt::format("is damaged: {}", e.what()), run.runJson().string());
    }
    info.id = run.dir.filename().string();
    return info;
}

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

} // namespace rankscope::launch
