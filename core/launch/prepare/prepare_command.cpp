// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/prepare_command.h"

#include "core/base/files/file.h"
#include "core/base/files/paths.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/command/observer_folder.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/prepare/code_commit.h"
#include "core/launch/run/board_list.h"
#include "core/launch/run/run_folder.h"
#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace rankscope::launch {

namespace fs = std::filesystem;

RunInfo newRunInfo(const std::string& name, const std::vector<std::string>& argv) {
    RunInfo info;
    info.name = name;
    info.startRealtimeNs = realtimeNs();
    info.startNs = monotonicNs();
    info.id = newRunId(name, info.startRealtimeNs);
    info.host = hostName();
    info.bootId = bootId();
    info.namespaces = processNamespaces();
    info.argv = argv;
    info.versions = {{"rankscope", RANKSCOPE_VERSION}};
    return info;
}

SupervisionSettings defaultWatchSettings() {
    SupervisionSettings settings;
    settings.detector.recipe = false;
    settings.detector.joinSeconds = 300; // Python's imports alone take minutes on a cold file system
    settings.stopGraceSeconds = 30;
    return settings;
}

static Result<SupervisionSettings> settingsOf(const WatchOptions& options) {
    SupervisionSettings settings = defaultWatchSettings();
    const auto take = [](double given, double& into) { into = given > 0 ? given : into; };
    take(options.stallSeconds, settings.detector.stallMinSeconds);
    take(options.joinSeconds, settings.detector.joinSeconds);
    take(options.stopGraceSeconds, settings.stopGraceSeconds);
    if (options.onIncident.empty())
        return settings;
    if (!programExists(options.onIncident))
        return fail(Errc::NotFound, {"there is no executable program {}", options.onIncident}, "--on-incident");
    settings.onIncident = {options.onIncident};
    return settings;
}

/// Returns whether the module starts a program that its arguments name.
static bool isLauncher(const std::string& module) {
    return module.starts_with("torch.distributed.") || module.starts_with("accelerate.");
}

/// Returns "train" for "torchrun … train.py …", "package.train" for "python -m package.train", else the program's name.
static std::string nameOfCommand(const std::vector<std::string>& command) {
    for (std::size_t i = 1; i < command.size(); ++i) {
        if (command[i].ends_with(".py"))
            return fs::path(command[i]).stem().string();
        if (command[i - 1] == "-m" && !command[i].starts_with('-') && !isLauncher(command[i]))
            return command[i];
    }
    return fs::path(command.front()).filename().string();
}

/// Returns the folder of the program's script, or the current one if no argument names a script.
static fs::path codeFolder(const std::vector<std::string>& command) {
    std::error_code ec;
    for (const std::string& word : command)
        if (word.ends_with(".py") && fs::is_regular_file(word, ec))
            return fs::absolute(word, ec).parent_path();
    return fs::current_path(ec);
}

static Result<void> checkRanks(int ranks) {
    if (ranks >= 0 && ranks <= telemetry::kMaxRanks)
        return {};
    return fail(Errc::BadInput, {"is {}; give 1 to {}", ranks, telemetry::kMaxRanks}, "--ranks");
}

Result<PreparedLaunch> prepareCommand(const WatchOptions& options) {
    if (options.command.empty() || options.command.front().empty())
        return fail(Errc::BadInput,
                    "no command given; it follows two dashes, as in: rankscopectl run -- python train.py", "run");
    if (!programExists(options.command.front()))
        return fail(Errc::NotFound, "there is no such program", options.command.front());
    RS_TRY(checkRanks(options.ranks));
    PreparedLaunch plan;
    RS_TRY_ASSIGN(plan.settings, settingsOf(options));
    RS_TRY_ASSIGN(const auto runsDir, options.runsDir.empty() ? defaultRunsDir() : Result<fs::path>(options.runsDir));
    plan.info = newRunInfo(options.name.empty() ? nameOfCommand(options.command) : options.name, options.argv);
    plan.info.worldSize = plan.info.ranksAsked = options.ranks;
    plan.info.command = plan.command = options.command;
    if (const std::string commit = codeCommit(codeFolder(options.command)); !commit.empty())
        plan.info.versions.emplace_back(kCodeVersion, commit);
    std::error_code ec;
    plan.run.dir = fs::absolute(runsDir, ec).lexically_normal() / plan.info.id;
    RS_TRY_ASSIGN(plan.environment, observerEnvironment(plan.run.dir));
    plan.forwards = options.forwards;
    return plan;
}

/// Returns the run that the folder has become when it was watched before.
static Result<RunInfo> watchedBefore(const RunPaths& run) {
    RS_TRY_ASSIGN(auto info, readRunInfo(run));
    if (!info.attached)
        return fail(Errc::BadInput, "is a run already: rankscopectl show reads it", run.dir.string());
    if (isLive(info.state))
        return fail(Errc::Busy, {"is being watched already, by process {}", info.supervisorPid}, run.dir.string());
    if (!anyLives(reportingRanks(run)))
        return fail(Errc::BadInput, "its ranks have ended: rankscopectl show reads it", run.dir.string());
    info.state = RunState::Starting;
    info.cause = {};
    info.exitCode = 0;
    info.endRealtimeNs = 0;
    return info;
}

Result<PreparedLaunch> prepareAttach(const fs::path& folder, const WatchOptions& options) {
    RS_TRY(checkRanks(options.ranks));
    PreparedLaunch plan;
    RS_TRY_ASSIGN(plan.settings, settingsOf(options));
    std::error_code ec;
    const fs::path whole = fs::absolute(folder, ec).lexically_normal();
    plan.run.dir = whole.has_filename() ? whole : whole.parent_path();
    if (!fs::is_directory(plan.run.dir, ec))
        return fail(Errc::NotFound, "there is no such folder; 'rankscopectl observe-env' makes one", folder.string());
    RS_TRY(makeReportFolder(plan.run.dir));
    const auto known = reportingRanks(plan.run);
    if (fs::exists(plan.run.runJson(), ec)) {
        RS_TRY_ASSIGN(plan.info, watchedBefore(plan.run));
        return plan;
    }
    if (!known.empty() && !anyLives(known))
        return fail(Errc::BadInput,
                    "none of its ranks runs on this machine: 'rankscopectl collect' makes a run of what they wrote",
                    folder.string());
    const std::string own = plan.run.dir.filename().string();
    plan.info = newRunInfo(options.name.empty() ? own : options.name, options.argv);
    plan.info.id = own;
    plan.info.attached = true;
    plan.info.worldSize = plan.info.ranksAsked = options.ranks;
    return plan;
}

} // namespace rankscope::launch
