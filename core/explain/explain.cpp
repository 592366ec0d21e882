// SPDX-License-Identifier: Apache-2.0
#include "core/explain/explain.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/explain/collectives/known_recipes.h"
#include "core/explain/dump/flight_dump.h"
#include "core/explain/log/log_files.h"
#include "core/explain/verdict/verdict.h"

#include <algorithm>
#include <tuple>

namespace rankscope::explain {
namespace {

Result<std::vector<RecipeCollectives>> recipesOf(const std::filesystem::path& file) {
    if (file.empty())
        return knownRecipes();
    RS_TRY_ASSIGN(auto effective, config::evaluateFile(file));
    std::vector<std::string> manifests; // which no collective depends on
    for (const auto& problem : effective.problems)
        if (problem.key.ends_with("manifest_filepath"))
            manifests.push_back(problem.key + "=manifest.json");
    if (!manifests.empty()) {
        RS_TRY_ASSIGN(effective, config::evaluateFile(file, manifests));
    }
    if (const auto error = config::firstError(effective, file.string()))
        return tl::unexpected(*error);
    RS_TRY_ASSIGN(const auto recipe, config::readRecipe(effective.text, file.string()));
    const std::string name = file.filename().string();
    std::vector<RecipeCollectives> recipes;
    for (const plan::Trainer trainer : plan::kTrainers)
        recipes.push_back(recipeCollectives(name, trainer, recipe));
    return recipes;
}

/// Reads the dumps. One that cannot be read is named among the files, so that its error says nothing more.
Result<void> readDumps(ReadLogs& logs, const ExplainOptions& options) {
    for (const auto& dump : logs.dumps) {
        std::ignore = addFlightDump(dump.path, dump.name, std::nullopt, logs.evidence);
        logs.done += dump.bytes;
        if (options.progress && !options.progress(logs.done, logs.all))
            return fail(Errc::Busy, "was cancelled");
    }
    return {};
}

} // namespace

Result<Explanation> explain(const ExplainOptions& options) {
    if (options.paths.empty())
        return fail(Errc::BadInput, "which logs? Name files or folders", "explain");
    RS_TRY_ASSIGN(const auto recipes, recipesOf(options.recipe));
    RS_TRY_ASSIGN(auto logs, readLogs(options.paths, {options.progress, options.below}));
    RS_TRY(readDumps(logs, options));
    HangEvidence& evidence = logs.evidence;
    const bool readable = std::ranges::any_of(
        evidence.files, [](const InputFile& file) { return file.problem.empty() || file.lines > 0; });
    if (!readable && !evidence.files.empty())
        return fail(Errc::BadInput, evidence.files.front().problem, evidence.files.front().name);
    if (!readable)
        return fail(Errc::BadInput, "has no log and no dump", options.paths.front().string());
    if (options.ranks > 0) {
        evidence.worldSize = options.ranks;
        evidence.worldSizePlace.reset();
    }
    return judge(evidence, recipes);
}

} // namespace rankscope::explain
