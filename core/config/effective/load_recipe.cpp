// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/load_recipe.h"

#include "core/config/check/recipe_check.h"
#include "core/config/check/trainer_support.h"
#include "core/config/hydra/interpolation.h"
#include "core/config/hydra/override.h"
#include "core/config/schema/key_lookup.h"

#include <algorithm>
#include <cstdlib>

namespace rankscope::config {

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

static void applyOverrides(Loaded& loaded, Node& tree, const std::vector<std::string>& overrides,
                           const KeySchema& facts) {
    const auto isKnown = [&](const std::string& key) {
        // The overrides decide which version applies, so keys of every version pass here; check() reports the wrong
        // ones.
        if (versionWithKey(key, facts) || facts.key(key) || facts.section(key) || isFreeForm(key, facts))
            return true;
        return std::any_of(facts.yaml.begin(), facts.yaml.end(), [&](const auto& kv) { return kv.first == key; });
    };
    for (const auto& text : overrides)
        if (const auto done = applyOverride(tree, text, isKnown); !done)
            loaded.problems.push_back(errorAt({}, {"override \"{}\": {}", text, done.error()}));
}

/// Returns why a text has no keys at all; none if it has some.
static std::optional<Problem> notARecipe(const Document& document) {
    const Node* root = document.root();
    if (!root)
        return document.parseError();
    if (root->isMap())
        return std::nullopt;
    const bool empty = root->kind == Node::Kind::Null;
    return empty ? errorAt({1, 1}, "the file is empty; a recipe has at least a section model")
                 : errorAt(root->at, "a recipe consists of key: value lines");
}

Loaded load(const std::string& text, const std::vector<std::string>& overrides, const KeySchema& facts) {
    return load(Document::fromText(text), overrides, facts);
}

Loaded load(const Document& document, const std::vector<std::string>& overrides, const KeySchema& facts) {
    Loaded loaded;
    loaded.facts = &facts;
    if (auto problem = notARecipe(document)) {
        loaded.broken = true;
        loaded.problems.push_back(std::move(*problem));
        return loaded;
    }
    auto root = document.sharedRoot();
    loaded.modelOnly = looksLikeModelSection(*root);
    loaded.written = loaded.modelOnly ? std::make_shared<const Node>(underModel(*root)) : std::move(root);
    loaded.changed = loaded.written;
    if (!overrides.empty()) {
        auto changed = std::make_shared<Node>(*loaded.written);
        applyOverrides(loaded, *changed, overrides, facts);
        loaded.changed = std::move(changed);
    }
    loaded.resolved = resolveAll(*loaded.changed, {"hydra"}, loaded.problems);
    applyNemoDerivedValues(loaded.resolved);
    if (auto problem = factsProblem(&facts == &builtinSchema() ? std::getenv("RANKSCOPE_NEMO") : nullptr))
        loaded.problems.push_back(std::move(*problem));
    loaded.facts = &schemaFor(loaded.resolved, facts);
    check(loaded, *loaded.facts);
    checkSupport(loaded, *loaded.facts);
    std::stable_sort(loaded.problems.begin(), loaded.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    return loaded;
}

} // namespace rankscope::config
