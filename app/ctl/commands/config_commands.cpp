// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/config_commands.h"

#include "app/ctl/commands/run_argument.h"
#include "app/ctl/reports/collectives_report.h"
#include "app/ctl/reports/run_report_json.h"
#include "app/ctl/reports/run_report_text.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/process/libtorch_location.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/nemo_comparison.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/risks/risk_rules.h"
#include "core/launch/process/child_process.h"
#include "core/launch/run/launch_spec.h"
#include "core/plan/cost/step_collectives.h"
#include "core/plan/result/plan_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

namespace rankscope::ctl {

/// Evaluates a file, or the configuration that a run was launched with; `of` is that run.
static Result<config::Effective> evaluated(const std::string& given, const std::string& runsDir,
                                           const std::vector<std::string>& overrides,
                                           std::optional<launch::RunPaths>& of) {
    std::error_code ec;
    std::string file = given, run;
    if (!std::filesystem::is_regular_file(given, ec)) {
        const auto dir = runsDirOf(runsDir);
        const auto found = launch::findRun(dir ? *dir : std::filesystem::path("."), given);
        if (!found) // a path means that a file was intended
            return tl::unexpected(given.find_first_of("/.") == std::string::npos ||
                                          std::filesystem::is_directory(given, ec)
                                      ? found.error()
                                      : Error{Errc::NotFound, "is neither a file nor a run", given});
        file = found->effective().string();
        run = found->dir.filename().string();
        of = *found;
    }
    RS_TRY_ASSIGN(auto effective,
                  run.empty() ? config::evaluateFile(file, overrides) : config::evaluateRunFile(file, overrides));
    // a missing value (???) prevents a launch, but not a comparison of the rest
    std::erase_if(effective.problems, [&](const config::Problem& problem) {
        const config::KeyRow* row = effective.find(problem.key);
        return row && row->yours == "???";
    });
    if (auto error = config::firstError(effective, file))
        return tl::unexpected(*error);
    if (!run.empty())
        effective.name = run;
    return effective;
}

/// Returns what NeMo and rankscope-trainer exchange with the ranks of the recipe, or two if it leaves them open; empty
/// if the trainer cannot read the recipe. A manifest that is still ??? does not matter.
static std::vector<plan::TrainerCollectives> collectivesOf(const config::Effective& mine, const std::string& file) {
    std::vector<std::string> closing;
    for (const char* key : {"model.train_ds.manifest_filepath", "model.validation_ds.manifest_filepath"})
        if (const config::KeyRow* row = mine.find(key); row && row->yours == "???")
            closing.push_back(fmt::format("++{}=[open]", key));
    const auto recipe = config::readRecipe(config::evaluate(mine.text, file, closing).text, file);
    if (!recipe)
        return {};
    int devices = 2;
    const std::string& asked = recipe->trainer.devices;
    std::from_chars(asked.data(), asked.data() + asked.size(), devices);
    const int ranks = std::max(2, devices) * std::max(1, recipe->trainer.numNodes);
    std::vector<plan::TrainerCollectives> all;
    for (const plan::Trainer trainer : plan::kTrainers)
        all.push_back(plan::plannedCollectives(trainer, *recipe, plan::modelShapes(recipe->model), ranks));
    return all;
}

/// Returns the reports of two runs; none if one of them is no run, or cannot be read.
static std::optional<std::pair<RunReport, RunReport>> bothReports(const std::optional<launch::RunPaths>& mine,
                                                                  const std::optional<launch::RunPaths>& other) {
    if (!mine || !other)
        return std::nullopt;
    auto first = readReport(*mine), second = readReport(*other);
    if (!first || !second)
        return std::nullopt;
    return std::pair(std::move(*first), std::move(*second));
}

Result<int> compare(const CompareArgs& args) {
    std::vector<std::string> overrides;
    if (!args.nemo.empty())
        overrides.push_back("++rankscope.nemo=" + args.nemo);
    std::optional<launch::RunPaths> myRun, otherRun;
    RS_TRY_ASSIGN(auto mine, evaluated(args.config, args.runsDir, overrides, myRun));
    std::optional<config::Effective> other;
    if (!args.with.empty()) {
        RS_TRY_ASSIGN(auto with, evaluated(args.with, args.runsDir, overrides, otherRun));
        other.emplace(std::move(with));
        if (other->name == mine.name) { // two versions of one recipe
            mine.name = args.config;
            other->name = args.with;
        }
    }
    const config::Effective* against = other ? &*other : nullptr;
    const auto collectives = against ? std::vector<plan::TrainerCollectives>() : collectivesOf(mine, args.config);
    const auto reports = bothReports(myRun, otherRun);
    if (args.json) {
        config::attachRisks(mine);
        auto json = config::compareJson(mine, against, args.onlyDifferent);
        if (!collectives.empty())
            json["collectives_in_order"] = plan::collectivesJson(collectives);
        if (reports)
            json["figures"] = figuresJson(reports->first, reports->second);
        console::print("{}\n", dumped(json));
    } else {
        console::print("{}{}{}", reports ? figuresText(reports->first, reports->second) + "\n" : std::string(),
                       config::compareTable(mine, against, args.onlyDifferent, terminalWidth(STDOUT_FILENO, 160),
                                            console::outputLanguage()),
                       collectives.empty() ? "" : collectivesText(collectives));
    }
    return config::differs(mine, against) ? launch::kCheckFailed : launch::kDone;
}

Result<int> resolve(const std::string& config, const std::vector<std::string>& overrides) {
    RS_TRY_ASSIGN(const auto effective, config::evaluateFile(config, overrides));
    if (auto error = config::launchError(effective, config)) // a launch would refuse this
        return tl::unexpected(*error);
    console::writeBytes(effective.text);
    return launch::kDone;
}

/// Replaces this process with rankscope-trainer, with these arguments.
static Result<int> runTrainer(const std::vector<std::string>& arguments) {
    RS_TRY_ASSIGN(const auto trainer, findTrainer());
    const std::string program = trainer.string();
    std::vector<std::string> words{program};
    if (const auto language = console::chosenLanguage())
        words.insert(words.end(), {"--lang", *language == Language::Chinese ? "zh" : "en"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    ::execv(program.c_str(), launch::execPointers(words).data());
    return tl::unexpected(systemError("start the program", program, errno));
}

Result<int> verify(const WeightsArgs& args) {
    std::vector<std::string> arguments{"verify", args.reference, args.config};
    if (args.device != "cpu")
        arguments.insert(arguments.end(), {"--device", args.device});
    if (!args.weights.empty())
        arguments.insert(arguments.end(), {"--weights", args.weights});
    if (!args.nemo.empty())
        arguments.insert(arguments.end(), {"--nemo", args.nemo});
    return runTrainer(arguments);
}

Result<int> weights(const WeightsArgs& args) {
    std::vector<std::string> arguments{"weights", args.in};
    if (args.json)
        arguments.emplace_back("--json");
    return runTrainer(arguments);
}

Result<int> convert(const WeightsArgs& args) {
    std::vector<std::string> arguments{"convert", args.in, args.out};
    if (!args.outConfig.empty())
        arguments.insert(arguments.end(), {"--config", args.outConfig});
    return runTrainer(arguments);
}

} // namespace rankscope::ctl
