// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/code_defaults.h"

#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>
#include <unordered_map>

namespace rankscope::config {

static Node* sectionAt(Node& root, const std::string& at) {
    Node* node = &root;
    for (const auto& part : splitKey(at)) {
        if (typeOf(*node) == Type::Null)
            *node = Node::map();
        if (!node->isMap())
            return nullptr;
        node = &node->childOrNew(part);
    }
    if (typeOf(*node) == Type::Null)
        *node = Node::map();
    return node->isMap() ? node : nullptr;
}

/// Few texts, read again for each evaluation otherwise.
static const Node& defaultNode(const ValueText& text) {
    static thread_local std::unordered_map<std::string, Node> nodes;
    const auto it = nodes.find(text);
    return it != nodes.end() ? it->second : nodes.emplace(text, nodeOfText(text)).first->second;
}

Node knownSections(const Node& tree, const Facts& facts) {
    Node known = Node::map();
    for (const auto& e : tree.entries) {
        const std::string& name = e.key.text;
        const auto here = [&](const SectionSpec& s) {
            return s.at.starts_with(name) && (s.at.size() == name.size() || s.at[name.size()] == '.');
        };
        if (!e.mergeKey && std::any_of(facts.sections.begin(), facts.sections.end(), here))
            known.entries.push_back(e);
    }
    return known;
}

Node withCodeDefaults(Node root, const Node& resolved, const Facts& facts) {
    for (const auto& spec : facts.sections) {
        if (!acts(spec, resolved))
            continue;
        Node* section = sectionAt(root, spec.at);
        for (const auto& key : spec.keys) {
            if (!section || !key.code || section->child(key.name))
                continue;
            Entry entry{Node::plain(key.name), defaultNode(*key.code)};
            entry.value.at = {};
            entry.value.origin = Origin::Code;
            section->entries.push_back(std::move(entry));
        }
    }
    return root;
}

} // namespace rankscope::config
