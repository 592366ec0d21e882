// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/program_recipe.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>

namespace rankscope::launch {

static constexpr std::size_t kLargestProgramRecipe = 1u << 20; ///< It is evaluated between two rounds.

/// Returns a key's value as the recipe has it; none: the recipe does not have the key, or it is null.
static std::optional<std::string> writtenValue(const config::Effective& recipe, const std::string& key) {
    const config::KeyRow* row = recipe.find(key);
    if (!row || !row->yours || !row->effective || *row->effective == "null")
        return std::nullopt;
    return *row->effective;
}

static std::optional<int> writtenNumber(const config::Effective& recipe, const std::string& key) {
    const std::string text = writtenValue(recipe, key).value_or("");
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

static bool hasKey(const config::Effective& recipe, const std::string& key) {
    const config::KeyRow* row = recipe.find(key);
    return row && row->yours;
}

static bool isTrue(const config::Effective& recipe, const std::string& key) {
    return writtenValue(recipe, key) == "true";
}

diagnosis::Settings ProgramRecipe::appliedTo(const diagnosis::Settings& settings) const {
    const config::Effective& recipe = effective;
    const std::string set = "model.train_ds.";
    const bool hydra = std::any_of(recipe.rows.begin(), recipe.rows.end(),
                                   [](const config::KeyRow& row) { return row.key.starts_with("hydra."); });
    diagnosis::Settings s = settings;
    s.programKeys = hydra ? diagnosis::ProgramKeys::Hydra : diagnosis::ProgramKeys::Known;
    s.numWorkers = std::clamp(writtenNumber(recipe, set + "num_workers").value_or(-1), -1, 1 << 20);
    s.prefetchFactor = std::clamp(writtenNumber(recipe, set + "prefetch_factor").value_or(-1), -1, 1 << 20);
    s.limitsDuration = hasKey(recipe, set + "max_duration");
    if (hasKey(recipe, set + "drop_last"))
        s.dropLast = isTrue(recipe, set + "drop_last");
    if (isTrue(recipe, set + "is_tarred") || isTrue(recipe, set + "use_lhotse"))
        s.dropLast = true; // it has no effect there, so it is not suggested
    s.lengthSync = writtenValue(recipe, "model.encoder.sync_max_audio_length") != "false";
    if (const int rate = writtenNumber(recipe, "model.sample_rate").value_or(0); rate > 0)
        s.sampleRate = rate;
    return s;
}

/// Returns text that differs between the file and one that replaces it.
static std::string identityOf(const struct stat& st) {
    return fmt::format("{} {} {}.{:09}", st.st_ino, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/// Returns "NeMo 2.7.3"; "NeMo" if the recipe names no version, or something else in its place.
static std::string originOf(const config::Effective& recipe) {
    const std::string version = writtenValue(recipe, "model.nemo_version").value_or("");
    const bool plain = version.size() <= 32 && std::all_of(version.begin(), version.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '.' || c == '+' || c == '-';
                       });
    return version.empty() || !plain ? "NeMo" : "NeMo " + version;
}

Result<std::optional<ProgramRecipe>> ProgramRecipeFile::changed() {
    const std::string path = m_run.programRecipe().string();
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0 || identityOf(st) == m_seen)
        return std::nullopt;
    m_seen = identityOf(st);
    RS_TRY_ASSIGN(const auto file, openRunFile(m_run.programRecipe()));
    if (::fstat(file.fd.get(), &st) != 0)
        return tl::unexpected(systemError("read", path, errno));
    if (st.st_uid != ::geteuid())
        return fail(Errc::Permission, "belongs to another user", path);
    RS_TRY_ASSIGN(auto text, readAll(file.fd.get(), kLargestProgramRecipe, path));
    auto recipe = config::evaluate(text, path);
    if (recipe.text.empty()) // not YAML, or no sections
        return tl::unexpected(
            config::firstError(recipe, path).value_or(Error{Errc::Malformed, "is not a recipe", path}));
    std::string from = originOf(recipe);
    return ProgramRecipe{std::move(text), std::move(recipe), std::move(from)};
}

Result<void> keepProgramRecipe(const RunPaths& run, const ProgramRecipe& recipe, RunInfo& info) {
    RS_TRY(writeRunFile(run.config(), recipe.text));
    RS_TRY(writeRunFile(run.effective(), recipe.effective.text));
    info.recipeFrom = recipe.from;
    info.recipeLaunches = !config::launchError(recipe.effective, run.config().string());
    return {};
}

} // namespace rankscope::launch
