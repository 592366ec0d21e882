// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/prepare_nemo.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/files/paths.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/launch/command/observer_folder.h"
#include "core/launch/host/device_assignment.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/prepare/prepare_command.h"
#include "core/launch/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace rankscope::launch {

namespace fs = std::filesystem;

namespace {

/// The recipe to train with, and where it is from.
struct NemoRecipe {
    std::string text;
    std::string path;                   ///< of the file that the text is from
    std::vector<std::string> overrides; ///< as they were given
    config::Effective effective;
};

Result<void> checkOptions(const LaunchOptions& options) {
    if (!programExists(options.nemoPython.string()))
        return fail(Errc::NotFound, "there is no such program", options.nemoPython.string());
    if (!options.resume.empty())
        return fail(Errc::Unsupported, "only Rankscope's trainer resumes a run; use exp_manager.resume_if_exists",
                    "--resume");
    if (!options.faults.empty())
        return fail(Errc::Unsupported, "only Rankscope's trainer can be asked for faults", "--fault");
    return {};
}

Result<NemoRecipe> nemoRecipe(const LaunchOptions& options) {
    NemoRecipe recipe;
    std::error_code ec;
    if (options.config.empty()) { // that of the run to repeat
        const RunPaths earlier{options.relaunch};
        RS_TRY_ASSIGN(const auto info, readRunInfo(earlier));
        RS_TRY_ASSIGN(recipe.text, readRunFile(earlier.config()));
        recipe.path = info.configPath;
        recipe.overrides = info.overrides;
    } else {
        RS_TRY_ASSIGN(recipe.text, readFile(options.config));
        recipe.path = fs::absolute(options.config, ec).lexically_normal().string();
    }
    recipe.overrides.insert(recipe.overrides.end(), options.overrides.begin(), options.overrides.end());
    recipe.effective = config::evaluate(recipe.text, recipe.path, recipe.overrides);
    if (auto error = config::firstError(recipe.effective, recipe.path))
        return tl::unexpected(*error);
    return recipe;
}

/// Returns a text as Hydra takes it whatever is in it, such as an apostrophe in the name of a folder.
std::string quotedForHydra(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("\\'") : std::string(1, c);
    return quoted + "'";
}

/// Returns an override that Hydra takes whether the recipe has the key or not, as this program does for keys that NeMo
/// knows.
std::string forHydra(const std::string& override) {
    const bool plain = !override.empty() && override.front() != '+' && override.front() != '~';
    return plain ? "++" + override : override;
}

bool isWritten(const config::Effective& recipe, std::string_view section) {
    return std::any_of(recipe.rows.begin(), recipe.rows.end(),
                       [&](const config::KeyRow& row) { return row.yours && row.key.starts_with(section); });
}

bool usesCpu(const config::Effective& recipe, const std::optional<DeviceAssignment>& devices, const Machine& machine) {
    const auto* accelerator = recipe.find("trainer.accelerator");
    return devices ? devices->device == "cpu"
                   : machine.gpus == 0 || (accelerator && accelerator->effective == std::optional<std::string>("cpu"));
}

/// Returns the user's overrides and those without which NeMo would not train here.
std::vector<std::string> nemoOverrides(const NemoRecipe& recipe, int ranks, bool cpu, const fs::path& run) {
    std::vector<std::string> all;
    for (const std::string& one : recipe.overrides)
        all.push_back(forHydra(one));
    if (ranks > 0)
        all.push_back(fmt::format("++trainer.devices={}", ranks));
    const auto* synced = recipe.effective.find("trainer.sync_batchnorm");
    if (cpu && synced && synced->effective == std::optional<std::string>("true"))
        all.emplace_back("++trainer.sync_batchnorm=false"); // PyTorch has none for the CPU
    const auto* folder = recipe.effective.find("exp_manager.exp_dir");
    if (isWritten(recipe.effective, "exp_manager.") &&
        !(folder && folder->yours && folder->effective.value_or("null") != "null"))
        all.push_back("++exp_manager.exp_dir=" + quotedForHydra((run / "nemo").string()));
    return all;
}

/// Returns the stall settings of a recipe that Rankscope's trainer could train as well.
void takeStallSettings(const config::Recipe& recipe, diagnosis::Settings& settings) {
    settings.stallMinSeconds = recipe.rankscope.stallMinSeconds;
    settings.stallFactor = recipe.rankscope.stallFactor;
    settings.stragglerShare = recipe.rankscope.stragglerShare;
    settings.stragglerWindowSteps = recipe.rankscope.stragglerWindowSteps;
}

/// Lets a run have the ranks, threads and limits that Rankscope's trainer would have. Returns the devices.
Result<DeviceAssignment> alignWithTrainer(PreparedLaunch& plan, const config::Recipe& recipe, int asked,
                                          const Machine& machine) {
    RS_TRY_ASSIGN(auto devices, planDevices(recipe.trainer, asked, machine));
    takeStallSettings(recipe, plan.settings.detector);
    plan.info.totalSteps = std::max<std::int64_t>(0, recipe.trainer.maxSteps);
    for (auto& set : rankEnvironment(0, recipe, devices, machine, {}, std::getenv("OMP_NUM_THREADS") != nullptr))
        if (set.first == "OMP_NUM_THREADS")
            plan.environment.push_back(std::move(set));
    return devices;
}

} // namespace

Result<PreparedLaunch> prepareNemoLaunch(const LaunchOptions& options) {
    RS_TRY(checkOptions(options));
    RS_TRY_ASSIGN(auto recipe, nemoRecipe(options));
    RS_TRY_ASSIGN(const auto script, nemoScript());
    WatchOptions watch;
    watch.command = {options.nemoPython.string(), script.string()};
    watch.name = recipe.effective.name;
    watch.runsDir = options.runsDir;
    watch.argv = options.argv;
    watch.forwards = false;
    RS_TRY_ASSIGN(auto plan, prepareCommand(watch));
    const Machine machine = thisMachine();
    std::optional<DeviceAssignment> devices;
    int ranks = options.ranks;
    if (const auto known = config::readRecipe(recipe.effective.text, recipe.path)) {
        RS_TRY_ASSIGN(devices, alignWithTrainer(plan, *known, options.ranks, machine));
        if (!namesGpus(known->trainer))
            ranks = devices->ranks;
        plan.info.worldSize = devices->ranks;
    }
    auto& command = plan.command;
    command.push_back("--config-path=" + plan.run.dir.string());
    command.push_back("--config-name=" + plan.run.config().stem().string());
    const auto overrides = nemoOverrides(recipe, ranks, usesCpu(recipe.effective, devices, machine), plan.run.dir);
    command.insert(command.end(), overrides.begin(), overrides.end());
    RunInfo& info = plan.info;
    info.command = command;
    info.ranksAsked = options.ranks;
    info.configPath = recipe.path;
    info.overrides = recipe.overrides;
    info.relaunchedFrom = options.relaunch.filename().string();
    info.recipeFrom = "NeMo";
    info.tags = {"nemo"}; // distinguishes it in lists from runs of Rankscope's trainer with the same recipe
    info.recipeLaunches = !config::launchError(recipe.effective, recipe.path);
    plan.configText = std::move(recipe.text);
    plan.effectiveText = std::move(recipe.effective.text);
    return plan;
}

} // namespace rankscope::launch
