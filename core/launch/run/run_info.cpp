// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_info.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"
#include "core/telemetry/format/limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace rankscope::launch {

using nlohmann::json;

static constexpr std::array<std::string_view, 8> kStateNames{"starting", "running", "stopping", "finished",
                                                             "failed",   "stopped", "lost",     "imported"};
/// Format 2 has no members that belong to a recipe, and is written only for runs without one.
static constexpr int kRunFormat = 2;

std::string_view runStateName(RunState state) {
    const auto index = static_cast<std::size_t>(state);
    return index < kStateNames.size() ? kStateNames[index] : "unknown";
}

Message stateTitle(RunState state) {
    static const std::array<Message, kStateNames.size()> titles{"starting", "running", "stopping", "finished",
                                                                "failed",   "stopped", "lost",     "imported"};
    const auto index = static_cast<std::size_t>(state);
    return index < titles.size() ? titles[index] : Message("unknown");
}

bool isLive(RunState state) {
    return state == RunState::Starting || state == RunState::Running || state == RunState::Stopping;
}

std::string_view supervisorLifeName(SupervisorLife life) {
    static constexpr std::array<std::string_view, 4> kNames{"gone", "alive", "stopped", "unknown"};
    const auto index = static_cast<std::size_t>(life);
    return index < kNames.size() ? kNames[index] : "unknown";
}

/// Calls required(key, member) for the fields that every run.json has, recipe(key, member) for those that a run without
/// a recipe lacks, and later(key, member) for those that runs of older versions lack.
template <class Info, class Required, class Recipe, class Later>
static void eachField(Info& i, const Required& required, const Recipe& recipe, const Later& later) {
    required("name", i.name);
    required("world_size", i.worldSize);
    required("total_steps", i.totalSteps);
    required("supervisor_pid", i.supervisorPid);
    required("supervisor_start_ticks", i.supervisorStartTicks);
    required("host", i.host);
    required("boot_id", i.bootId);
    required("start_ns", i.startNs);
    required("start_realtime_ns", i.startRealtimeNs);
    required("end_realtime_ns", i.endRealtimeNs);
    required("exit_code", i.exitCode);
    required("argv", i.argv);
    recipe("config_path", i.configPath);
    recipe("faults", i.faults);
    required("rank_pids", i.rankPids);
    required("rank_start_ticks", i.rankStartTicks);
    required("tags", i.tags);
    later("namespaces", i.namespaces);
    later("folder", i.folder);
    later("ranks_asked", i.ranksAsked);
    later("end_rank", i.reason.rank);
    later("end_step", i.reason.step);
    if (!i.hasRecipe())
        return;
    later("overrides", i.overrides);
    later("resumed_from", i.resumedFrom);
    later("relaunched_from", i.relaunchedFrom);
    later("drawn_seed", i.drawnSeed);
    later("imported_from", i.importedFrom);
}

static json toJson(const RunInfo& i) {
    json versions = json::object();
    for (const auto& [name, version] : i.versions)
        versions[name] = version;
    json j{{"format", i.watched() ? kRunFormat : 1},
           {"id", i.id},
           {"state", runStateName(i.state)},
           {"versions", versions}};
    const auto put = [&j](const char* key, const auto& value) { j[key] = value; };
    const auto putRecipe = [&](const char* key, const auto& value) {
        if (i.hasRecipe())
            put(key, value);
    };
    eachField(i, put, putRecipe, put);
    if (!i.command.empty())
        put("command", i.command);
    if (i.attached)
        put("attached", true);
    if (!i.recipeFrom.empty()) {
        put("recipe_from", i.recipeFrom);
        put("recipe_launches", i.recipeLaunches);
    }
    j["cause"] = i.cause.english();
    if (!i.cause.pattern().empty())
        j["cause_message"] = i.cause.toJson();
    j["end_kind"] = endKindName(i.reason.kind);
    return j;
}

static RunState stateOf(const std::string& name) {
    const auto at = std::find(kStateNames.begin(), kStateNames.end(), name);
    if (at == kStateNames.end())
        throw std::invalid_argument(fmt::format("unknown state '{}'", name));
    return static_cast<RunState>(at - kStateNames.begin());
}

/// Throws nlohmann's exceptions; recordedRunInfo() turns them into an Error.
static RunInfo fromJson(const json& j) {
    const auto read = [&j](const char* key, auto& into) {
        try {
            assignIfValid(j.at(key), into);
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(fmt::format("{}: {}", key, e.what()));
        }
    };
    int format = 0;
    read("format", format);
    if (format > kRunFormat)
        throw std::invalid_argument(fmt::format("format {} is newer than this program's {}", format, kRunFormat));
    RunInfo i;
    const auto readIfThere = [&](const char* key, auto& into) {
        if (j.contains(key))
            read(key, into);
    };
    readIfThere("command", i.command);
    readIfThere("attached", i.attached);
    readIfThere("recipe_from", i.recipeFrom);
    readIfThere("recipe_launches", i.recipeLaunches);
    const auto readRecipe = [&](const char* key, auto& into) {
        if (!i.watched())
            read(key, into);
        else if (i.hasRecipe())
            readIfThere(key, into);
    };
    eachField(i, read, readRecipe, readIfThere);
    std::string cause;
    read("cause", cause);
    i.cause = Message::fromJson(j.value("cause_message", json(cause)), cause);
    if (i.cause.english() != cause) // another program changed the text alone
        i.cause = cause;
    i.state = stateOf(j.at("state").get<std::string>());
    for (const auto& [name, version] : j.at("versions").items())
        i.versions.emplace_back(name, version.get<std::string>());
    using telemetry::kMaxRanks;
    if (i.worldSize < (i.watched() ? 0 : 1) || i.worldSize > kMaxRanks)
        throw std::invalid_argument(fmt::format("world_size {} is not between 1 and {}", i.worldSize, kMaxRanks));
    i.reason = readReason(j.value("end_kind", std::string()), i.reason.rank, i.reason.step, cause, i.worldSize);
    if (i.ranksAsked < 0 || i.ranksAsked > kMaxRanks)
        throw std::invalid_argument(fmt::format("ranks_asked {} is not between 0 and {}", i.ranksAsked, kMaxRanks));
    for (const auto& [key, ns] : {std::pair("start_ns", i.startNs), std::pair("start_realtime_ns", i.startRealtimeNs),
                                  std::pair("end_realtime_ns", i.endRealtimeNs)})
        if (ns < 0 || ns > telemetry::kLatestRealtimeNs)
            throw std::invalid_argument(fmt::format("{} {} is not a valid time", key, ns));
    if (i.rankPids.size() != i.rankStartTicks.size())
        throw std::invalid_argument("rank_pids and rank_start_ticks differ in length");
    return i;
}

std::string versionOf(const RunInfo& info, std::string_view part) {
    const auto found = std::find_if(info.versions.begin(), info.versions.end(),
                                    [part](const auto& version) { return version.first == part; });
    return found == info.versions.end() ? std::string() : found->second;
}

std::string runInfoText(const RunInfo& info) {
    // a command line or a cause taken from a log may hold bytes that are not UTF-8
    return toJson(info).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<void> writeRunInfo(const RunPaths& run, const RunInfo& info) {
    return writeRunFile(run.runJson(), runInfoText(info));
}

Result<RunInfo> recordedRunInfo(const RunPaths& run) {
    RS_TRY_ASSIGN(auto text, readRunFile(run.runJson(), 4u << 20));
    const auto parsed = readJson(text);
    if (!parsed || !parsed->is_object())
        return fail(Errc::Malformed, "is damaged: it is not a JSON object", run.runJson().string());
    RunInfo info;
    try {
        info = fromJson(*parsed);
    } catch (const json::exception& e) { // "[json.exception.out_of_range.403] key 'name' not found"
        const std::string_view what = e.what();
        const auto prefix = what.find("] ");
        return fail(Errc::Malformed, {"is damaged: {}", what.substr(prefix == what.npos ? 0 : prefix + 2)},
                    run.runJson().string());
    } catch (const std::exception& e) {
        return fail(Errc::Malformed, {"is damaged: {}", e.what()}, run.runJson().string());
    }
    info.id = run.dir.filename().string();
    return info;
}

} // namespace rankscope::launch
