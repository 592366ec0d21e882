// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/effective.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/config/edit/document.h"
#include "core/config/effective/effective_yaml.h"
#include "core/config/effective/key_table.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/schema/code_defaults.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

Error errorOf(const Problem& problem, const std::string& fileName) {
    std::string where = fileName;
    if (problem.at.line > 0)
        where += fmt::format(":{}:{}", problem.at.line, problem.at.column);
    return Error{problem.blocksLaunch ? Errc::Unsupported : Errc::BadInput, problem.text, where};
}

} // namespace

bool Effective::ok() const {
    return std::none_of(problems.begin(), problems.end(),
                        [](const Problem& p) { return p.severity == Problem::Severity::Error; });
}

const KeyRow* Effective::find(const std::string& key) const {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const KeyRow& r) { return r.key == key; });
    return it == rows.end() ? nullptr : &*it;
}

Effective evaluate(const std::string& yamlText, const std::string& fileName, const std::vector<std::string>& overrides,
                   const Facts& facts) {
    return evaluate(Document::fromText(yamlText, fileName), overrides, facts);
}

Effective evaluate(const Document& document, const std::vector<std::string>& overrides, const Facts& given,
                   bool withText) {
    Loaded loaded = load(document, overrides, given);
    const Facts& facts = *loaded.facts;
    Effective effective;
    effective.nemoVersion = facts.nemoVersion;
    effective.problems = loaded.problems;
    effective.name = std::filesystem::path(document.fileName()).stem().string();
    if (loaded.broken)
        return effective;
    // a long file has many sections that nobody here knows: they are not copied
    Node known = knownSections(loaded.resolved, facts);
    const Node full = withCodeDefaults(std::move(loaded.resolved), known, facts);
    loaded.resolved = std::move(known);
    if (const Node* name = full.child("name"); name && name->isScalar() && !name->unresolved && !isMissing(*name))
        effective.name = name->text;
    effective.rows = keyRows(loaded, full, facts);
    if (!withText)
        return effective;
    effective.text =
        "# Effective configuration: overrides applied, interpolations resolved. A comment after a value says\n"
        "# where it comes from when it does not stand in the file.\n" +
        effectiveYaml(full, facts, true);
    return effective;
}

static constexpr std::size_t kLargestRecipe = 8u << 20;

Result<Effective> evaluateFile(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    RS_TRY_ASSIGN(const auto text, readFile(file, kLargestRecipe));
    return evaluate(text, file.string(), overrides);
}

Result<Effective> evaluateRunFile(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    RS_TRY_ASSIGN(const auto text, readRunFile(file, kLargestRecipe));
    return evaluate(text, file.string(), overrides);
}

static std::optional<Error> firstError(const std::vector<Problem>& problems, const std::string& fileName) {
    const auto it = std::find_if(problems.begin(), problems.end(),
                                 [](const Problem& p) { return p.severity == Problem::Severity::Error; });
    return it == problems.end() ? std::nullopt : std::optional(errorOf(*it, fileName));
}

std::optional<Error> firstError(const Effective& effective, const std::string& fileName) {
    return firstError(effective.problems, fileName);
}

std::optional<Error> launchError(const std::vector<Problem>& problems, const std::string& fileName) {
    if (auto error = firstError(problems, fileName))
        return error;
    const auto it = std::find_if(problems.begin(), problems.end(), [](const Problem& p) { return p.blocksLaunch; });
    return it == problems.end() ? std::nullopt : std::optional(errorOf(*it, fileName));
}

Error located(Error error, const Effective& effective, const std::string& fileName) {
    const KeyRow* row = effective.find(error.where.substr(0, error.where.find(": ")));
    if (row && row->origin == Origin::Yours && row->at.line > 0)
        error.where = fmt::format("{}:{}:{}: {}", fileName, row->at.line, row->at.column, error.where);
    return error;
}

} // namespace rankscope::config
