// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/effective.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/config/edit/document.h"
#include "core/config/effective/key_table.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

bool holdsMark(const Node& node) {
    return node.text.find("${") != std::string::npos || std::any_of(node.items.begin(), node.items.end(), holdsMark) ||
           std::any_of(node.entries.begin(), node.entries.end(), [](const Entry& e) { return holdsMark(e.value); });
}

/// Escapes a resolved text again: a "${" in it was escaped in the file.
Node escaped(const Node& node) {
    Node out = node;
    for (auto& item : out.items)
        item = escaped(item);
    for (auto& e : out.entries)
        e.value = escaped(e.value);
    if (node.unresolved)
        return out;
    for (auto at = out.text.find("${"); at != std::string::npos; at = out.text.find("${", at + 2)) {
        std::size_t slashes = 0; // backslashes before a "${" are doubled, and one more escapes it
        while (slashes < at && out.text[at - slashes - 1] == '\\')
            ++slashes;
        out.text.insert(at, slashes + 1, '\\');
        at += slashes + 1;
    }
    return out;
}

class EffectiveWriter {
public:
    EffectiveWriter(const Node& root, const KeySchema& facts, bool comments)
        : m_root(root), m_facts(facts), m_comments(comments) {}

    std::string take() { return std::move(m_out); }

    void section(const Node& map, const std::string& at, int indent) {
        for (const auto& e : map.entries) {
            if (e.mergeKey)
                continue;
            const std::string key = joinKey(at, e.key.text);
            m_out.append(static_cast<std::size_t>(indent), ' ');
            m_out += toText(e.key);
            m_out += ':';
            if (e.value.isMap() && !e.value.entries.empty()) {
                m_out += '\n';
                section(e.value, key, indent + 2);
            } else {
                m_out += ' ';
                m_out += at.starts_with("hydra") || !holdsMark(e.value) ? toText(e.value) : toText(escaped(e.value));
                m_out += comment(key, e.value);
                m_out += '\n';
            }
        }
    }

private:
    std::string comment(const std::string& key, const Node& value) const {
        if (!m_comments || value.origin == Origin::Yours)
            return {};
        const KeySpec* spec = value.origin == Origin::Code ? keySpec(m_root, key, m_facts) : nullptr;
        return fmt::format("  # {}", spec && spec->code ? spec->source : originName(value.origin));
    }

    const Node& m_root;
    const KeySchema& m_facts;
    bool m_comments;
    std::string m_out;
};

Error errorOf(const Problem& problem, const std::string& fileName) {
    std::string where = fileName;
    if (problem.at.line > 0)
        where += fmt::format(":{}:{}", problem.at.line, problem.at.column);
    return Error{problem.blocksLaunch ? Errc::Unsupported : Errc::BadInput, problem.text, where};
}

bool isError(const Problem& problem) {
    return problem.severity == Problem::Severity::Error;
}

template <class Is>
std::optional<Error> firstOf(const std::vector<Problem>& problems, const std::string& fileName, const Is& is) {
    const auto it = std::find_if(problems.begin(), problems.end(), is);
    return it == problems.end() ? std::nullopt : std::optional(errorOf(*it, fileName));
}

} // namespace

bool Effective::ok() const {
    return std::none_of(problems.begin(), problems.end(), isError);
}

const KeyRow* Effective::find(const std::string& key) const {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const KeyRow& r) { return r.key == key; });
    return it == rows.end() ? nullptr : &*it;
}

Effective evaluate(const std::string& yamlText, const std::string& fileName, const std::vector<std::string>& overrides,
                   const KeySchema& facts) {
    return evaluate(Document::fromText(yamlText, fileName), overrides, facts);
}

Effective evaluate(const Document& document, const std::vector<std::string>& overrides, const KeySchema& given,
                   bool withText) {
    Loaded loaded = load(document, overrides, given);
    const KeySchema& facts = *loaded.facts;
    Effective effective;
    effective.nemoVersion = facts.nemoVersion;
    effective.problems = loaded.problems;
    effective.name = std::filesystem::path(document.fileName()).stem().string();
    if (loaded.broken)
        return effective;
    // a long file may have many sections that are not known here: do not copy them
    Node known = knownSections(loaded.resolved, facts);
    const Node full = withCodeDefaults(std::move(loaded.resolved), known, facts);
    loaded.resolved = std::move(known);
    if (const Node* name = full.child("name"); name && name->isScalar() && !name->unresolved && !isMissing(*name))
        effective.name = name->text;
    effective.rows = buildKeyTable(loaded, full, facts);
    if (!withText)
        return effective;
    effective.text =
        "# Effective configuration: overrides applied, interpolations resolved. A comment after a value says\n"
        "# where it comes from when it is not written in the file.\n" +
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

std::string effectiveYaml(const Node& tree, const KeySchema& facts, bool comments) {
    EffectiveWriter writer(tree, facts, comments);
    writer.section(tree, "", 0);
    return writer.take();
}

std::optional<Error> firstError(const Effective& effective, const std::string& fileName) {
    return firstOf(effective.problems, fileName, isError);
}

std::optional<Error> launchError(const std::vector<Problem>& problems, const std::string& fileName) {
    if (auto error = firstOf(problems, fileName, isError))
        return error;
    return firstOf(problems, fileName, [](const Problem& p) { return p.blocksLaunch; });
}

Error located(Error error, const Effective& effective, const std::string& fileName) {
    const KeyRow* row = effective.find(error.where.substr(0, error.where.find(": ")));
    if (row && row->origin == Origin::Yours && row->at.line > 0)
        error.where = fmt::format("{}:{}:{}: {}", fileName, row->at.line, row->at.column, error.where);
    return error;
}

} // namespace rankscope::config
