// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective.h"

#include "core/base/file.h"
#include "core/config/effective_text.h"
#include "core/config/interpolate.h"
#include "core/config/load.h"
#include "core/config/rules.h"
#include "core/config/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

/// NeMo's YAML as a tree, resolved: what "differs" compares with.
struct Reference {
    Node resolved = Node::map();

    explicit Reference(const Facts& facts) {
        Node root = Node::map();
        for (const auto& [key, value] : facts.yaml)
            put(root, splitKey(key), nodeOfText(value));
        std::vector<Problem> none;
        resolved = resolveAll(root, {}, none);
    }

    static void put(Node& root, const Path& path, Node value) {
        Node* node = &root;
        for (const auto& part : path) {
            if (!node->isMap())
                *node = Node::map();
            if (!node->child(part)) {
                Entry entry{Node::plain(part), {}};
                node->entries.push_back(std::move(entry));
            }
            node = node->child(part);
        }
        *node = std::move(value);
    }
};

class RowMaker {
public:
    RowMaker(const Loaded& loaded, const Facts& facts) : m_loaded(loaded), m_facts(facts), m_reference(facts) {
        for (const auto& [key, value] : facts.yaml)
            m_yaml.emplace(key, value);
    }

    std::vector<KeyRow> rows(const Node& full) {
        walk(full, "", [&](const std::string& key, const Node& node) {
            if (node.origin != Origin::Code)
                m_rows.push_back(row(key, &node));
        });
        walk(m_loaded.written, "", [&](const std::string& key, const Node&) { // removed by an override
            if (!find(m_loaded.changed, key))
                m_rows.push_back(row(key, find(full, key)));
        });
        walk(full, "", [&](const std::string& key, const Node& node) {
            if (node.origin == Origin::Code && !find(m_loaded.written, key))
                m_rows.push_back(row(key, &node));
        });
        requiredAndAbsent();
        return std::move(m_rows);
    }

private:
    template <class F> void walk(const Node& map, const std::string& at, const F& leaf) {
        for (const auto& e : map.entries) {
            const std::string key = joinKey(at, e.key.text);
            if (e.mergeKey)
                continue;
            if (e.value.isMap() && !e.value.entries.empty())
                walk(e.value, key, leaf);
            else
                leaf(key, e.value);
        }
    }

    void requiredAndAbsent() {
        for (const auto& spec : m_facts.sections)
            for (const auto& key : spec.keys)
                if (key.required && acts(spec, m_loaded.resolved) && find(m_loaded.resolved, spec.at) &&
                    !find(m_loaded.resolved, joinKey(spec.at, key.name)))
                    m_rows.push_back(row(joinKey(spec.at, key.name), nullptr));
    }

    KeyRow row(const std::string& key, const Node* node) const {
        KeyRow r;
        r.key = key;
        if (const Node* written = find(m_loaded.written, key)) {
            r.yours = toText(*written);
            r.at = written->at;
        }
        if (const auto it = m_yaml.find(key); it != m_yaml.end())
            r.nemoYaml = it->second;
        if (const KeySpec* spec = keySpec(m_loaded.resolved, key, m_facts); spec && spec->code) {
            r.code = spec->code;
            r.codeSource = spec->source;
        }
        if (node) {
            r.origin = node->origin;
            if (!node->unresolved && !isMissing(*node))
                r.effective = toText(*node);
        }
        r.differs = isDifferent(key, node);
        describe(r, node);
        r.risk = riskOf(key, m_loaded.resolved, m_facts);
        return r;
    }

    bool isDifferent(const std::string& key, const Node* node) const {
        const auto reference = effectiveNode(m_reference.resolved, key, m_facts);
        if (!node || !reference)
            return (node != nullptr) != reference.has_value();
        return !sameValue(*node, *reference);
    }

    void describe(KeyRow& r, const Node* node) const {
        const KeySpec* spec = keySpec(m_loaded.resolved, r.key, m_facts);
        std::string valueType = node ? std::string(typeName(typeOf(*node))) : "null";
        if (!spec) {
            r.type = valueType;
            return;
        }
        r.affectsRanks = spec->ranks;
        r.choices = spec->choices;
        const bool fits = valueType != "null" && spec->takes(valueType == "section" ? "map" : valueType);
        r.type = fits || spec->takes("any") ? valueType : spec->types.front();
        if (r.type == "map")
            r.type = "section";
    }

    const Loaded& m_loaded;
    const Facts& m_facts;
    Reference m_reference;
    std::map<std::string, ValueText> m_yaml;
    std::vector<KeyRow> m_rows;
};

Error errorOf(const Problem& problem, const std::string& fileName) {
    std::string where = fileName;
    if (problem.at.line > 0)
        where += fmt::format(":{}:{}", problem.at.line, problem.at.column);
    return Error{problem.blocksLaunch ? Errc::Unsupported : Errc::BadInput, problem.text, where};
}

} // namespace

std::string_view originName(Origin origin) {
    switch (origin) {
    case Origin::Yours:
        return "your file";
    case Origin::Override:
        return "override";
    case Origin::NemoYaml:
        return "NeMo YAML";
    case Origin::Code:
        return "NeMo code";
    case Origin::Unset:
        break;
    }
    return "not set";
}

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
    Effective effective;
    const Loaded loaded = load(yamlText, overrides, facts);
    effective.problems = loaded.problems;
    effective.name = std::filesystem::path(fileName).stem().string();
    if (loaded.broken)
        return effective;
    const Node full = withCodeDefaults(loaded.resolved, facts);
    if (const Node* name = full.child("name"); name && name->isScalar() && !name->unresolved && !isMissing(*name))
        effective.name = name->text;
    effective.rows = RowMaker(loaded, facts).rows(full);
    effective.text =
        "# Effective configuration: overrides applied, interpolations resolved. A comment after a value says\n"
        "# where it comes from when it does not stand in the file.\n" +
        effectiveYaml(full, facts, true);
    return effective;
}

Result<Effective> evaluateFile(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    auto text = readFile(file, 8u << 20);
    if (!text)
        return tl::unexpected(text.error());
    return evaluate(*text, file.string(), overrides);
}

std::optional<Error> firstError(const Effective& effective, const std::string& fileName) {
    for (const auto& problem : effective.problems)
        if (problem.severity == Problem::Severity::Error)
            return errorOf(problem, fileName);
    return std::nullopt;
}

std::optional<Error> launchError(const Effective& effective, const std::string& fileName) {
    if (auto error = firstError(effective, fileName))
        return error;
    for (const auto& problem : effective.problems)
        if (problem.blocksLaunch)
            return errorOf(problem, fileName);
    return std::nullopt;
}

} // namespace rankscope::config
