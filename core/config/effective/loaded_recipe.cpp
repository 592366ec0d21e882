// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/loaded_recipe.h"

#include "core/config/check/recipe_check.h"
#include "core/config/schema/key_schema.h"
#include "core/config/hydra/nemo_injection.h"
#include "core/config/hydra/interpolation.h"
#include "core/config/hydra/override.h"
#include "core/config/yaml/scalar.h"
#include "core/config/check/trainer_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace rankscope::config {

bool isSelected(const SectionSpec& spec, const Node& section) {
    const Node* selector = spec.selectorKey.empty() ? nullptr : section.child(spec.selectorKey);
    if (!selector || selector->unresolved || isMissing(*selector) || !selector->isScalar())
        return spec.assumed;
    const std::string& value = selector->text;
    const auto dot = spec.selectorKey == "_target_" ? value.rfind('.') : std::string::npos;
    return (dot == std::string::npos ? value : value.substr(dot + 1)) == spec.selectorValue;
}

const SectionSpec* selectedSpec(const Facts& facts, std::string_view at, const Node& section) {
    const auto it = std::find_if(facts.sections.begin(), facts.sections.end(),
                                 [&](const SectionSpec& s) { return s.at == at && isSelected(s, section); });
    return it == facts.sections.end() ? nullptr : &*it;
}

const KeySpec* keySpec(const Node& root, const std::string& key, const Facts& facts) {
    const auto dot = key.rfind('.');
    const std::string at = dot == std::string::npos ? "" : key.substr(0, dot);
    const auto here = [&](const SectionSpec& s) { return s.at == at; };
    if (std::count_if(facts.sections.begin(), facts.sections.end(), here) < 2)
        return facts.key(key);
    const Node* section = find(root, at);
    const SectionSpec* spec = section && section->isMap() ? selectedSpec(facts, at, *section) : facts.section(at);
    return spec ? spec->find(key.substr(dot + 1)) : nullptr;
}

bool acts(const SectionSpec& spec, const Node& root) {
    if (spec.at.find('[') != std::string::npos)
        return false;
    const Node* section = find(root, spec.at);
    if (spec.at == "rankscope.ddp") { // DDP's arguments stand here, or in a strategy that is a section
        const Node* strategy = find(root, "trainer.strategy");
        return !strategy || !strategy->isMap();
    }
    if (spec.at == "trainer" || spec.at.starts_with("rankscope"))
        return !section || typeOf(*section) == Type::Null || section->isMap();
    return section && section->isMap() && isSelected(spec, *section);
}

bool isForeignModel(const Node& root, const Facts& facts) {
    for (const char* at : {"model.quantizer", "model.masking"})
        if (!find(root, at))
            return !find(root, "model.quantizer") && !find(root, "model.masking");
    for (const auto& spec : facts.sections) {
        const Node* section = spec.selectorKey == "_target_" ? find(root, spec.at) : nullptr;
        if (section && section->isMap() && !isSelected(spec, *section))
            return true;
    }
    return false;
}

bool isFreeForm(const std::string& key, const Facts& facts) {
    return std::any_of(facts.freeForm.begin(), facts.freeForm.end(), [&](const std::string& free) {
        return key == free || (key.starts_with(free) && key[free.size()] == '.');
    });
}

Node nodeOfText(const ValueText& text) {
    auto parsed = parseYaml(text);
    return parsed ? std::move(*parsed) : Node::string(text);
}

std::optional<Node> effectiveNode(const Node& root, const std::string& key, const Facts& facts) {
    if (const Node* node = find(root, key))
        return *node;
    const auto dot = key.rfind('.');
    const std::string at = key.substr(0, dot == std::string::npos ? 0 : dot);
    const KeySpec* spec = keySpec(root, key, facts);
    const bool acting = std::any_of(facts.sections.begin(), facts.sections.end(),
                                    [&](const SectionSpec& s) { return s.at == at && acts(s, root); });
    if (!spec || !spec->code || !acting)
        return std::nullopt;
    return nodeOfText(*spec->code);
}

static bool looksLikeModelSection(const Node& root) {
    int sections = 0;
    for (const char* name : {"preprocessor", "encoder", "decoder", "masking", "quantizer", "loss"}) {
        const Node* section = root.child(name);
        sections += section && section->isMap() ? 1 : 0;
    }
    return !root.child("model") && sections >= 2;
}

static Node underModel(Node section) {
    Node root = Node::map();
    Entry entry{Node::plain("model"), std::move(section)};
    entry.key.at = entry.value.at;
    root.entries.push_back(std::move(entry));
    return root;
}

static void applyOverrides(Loaded& loaded, Node& tree, const std::vector<std::string>& overrides, const Facts& facts) {
    const auto isKnown = [&](const std::string& key) {
        // which version counts is known after the overrides: what another one takes is told by check()
        if (otherVersionWith(key, facts) || facts.key(key) || facts.section(key) || isFreeForm(key, facts))
            return true;
        return std::any_of(facts.yaml.begin(), facts.yaml.end(), [&](const auto& kv) { return kv.first == key; });
    };
    for (const auto& text : overrides)
        if (const auto done = applyOverride(tree, text, isKnown); !done)
            loaded.problems.push_back(
                {Problem::Severity::Error, {}, {}, fmt::format("override \"{}\": {}", text, done.error())});
}

Loaded load(const std::string& text, const std::vector<std::string>& overrides, const Facts& facts) {
    auto parsed = parseYaml(text);
    if (parsed)
        return load(std::make_shared<const Node>(std::move(*parsed)), overrides, facts);
    Loaded loaded;
    loaded.facts = &facts;
    loaded.broken = true;
    loaded.problems.push_back(std::move(parsed.error()));
    return loaded;
}

Loaded load(std::shared_ptr<const Node> root, const std::vector<std::string>& overrides, const Facts& facts) {
    Loaded loaded;
    loaded.facts = &facts;
    if (!root->isMap()) {
        const bool empty = root->kind == Node::Kind::Null;
        loaded.broken = true;
        loaded.problems.push_back({Problem::Severity::Error,
                                   {},
                                   empty ? Position{1, 1} : root->at,
                                   empty ? "the file is empty; a recipe has at least a section model"
                                         : "a recipe is made of key: value lines"});
        return loaded;
    }
    loaded.modelOnly = looksLikeModelSection(*root);
    loaded.written = loaded.modelOnly ? std::make_shared<const Node>(underModel(*root)) : std::move(root);
    loaded.changed = loaded.written;
    if (!overrides.empty()) {
        auto changed = std::make_shared<Node>(*loaded.written);
        applyOverrides(loaded, *changed, overrides, facts);
        loaded.changed = std::move(changed);
    }
    loaded.resolved = resolveAll(*loaded.changed, {"hydra"}, loaded.problems);
    injectAsNemo(loaded.resolved);
    if (auto problem = factsProblem(&facts == &builtinFacts() ? std::getenv("RANKSCOPE_NEMO") : nullptr))
        loaded.problems.push_back(std::move(*problem));
    loaded.facts = &factsFor(loaded.resolved, facts);
    check(loaded, *loaded.facts);
    checkSupport(loaded, *loaded.facts);
    std::stable_sort(loaded.problems.begin(), loaded.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    return loaded;
}

} // namespace rankscope::config
