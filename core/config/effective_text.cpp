// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective_text.h"

#include "core/config/scalar.h"

#include <fmt/format.h>

namespace rankscope::config {
namespace {

Node* sectionAt(Node& root, const std::string& at) {
    Node* node = &root;
    for (const auto& part : splitKey(at)) {
        if (typeOf(*node) == Type::Null)
            *node = Node::map();
        if (!node->isMap())
            return nullptr;
        if (!node->child(part)) {
            Entry entry{Node::plain(part), Node::map()};
            node->entries.push_back(std::move(entry));
        }
        node = node->child(part);
    }
    if (typeOf(*node) == Type::Null)
        *node = Node::map();
    return node->isMap() ? node : nullptr;
}

/// A resolved text that holds "${" was escaped in the file, and must be again.
Node escaped(const Node& node) {
    Node out = node;
    for (auto& item : out.items)
        item = escaped(item);
    for (auto& e : out.entries)
        e.value = escaped(e.value);
    if (node.unresolved)
        return out;
    for (auto at = out.text.find("${"); at != std::string::npos; at = out.text.find("${", at + 3))
        out.text.insert(at, 1, '\\');
    return out;
}

class Writer {
public:
    Writer(const Node& root, const Facts& facts, bool comments) : m_root(root), m_facts(facts), m_comments(comments) {}

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
                m_out += toText(at.starts_with("hydra") ? e.value : escaped(e.value));
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
        return fmt::format("  # {}", spec && spec->code ? spec->source : std::string(originName(value.origin)));
    }

    const Node& m_root;
    const Facts& m_facts;
    bool m_comments;
    std::string m_out;
};

} // namespace

Node withCodeDefaults(const Node& resolved, const Facts& facts) {
    Node root = resolved;
    for (const auto& spec : facts.sections) {
        if (!acts(spec, resolved))
            continue;
        Node* section = sectionAt(root, spec.at);
        for (const auto& key : spec.keys) {
            if (!section || !key.code || section->child(key.name))
                continue;
            Entry entry{Node::plain(key.name), nodeOfText(*key.code)};
            entry.value.at = {};
            entry.value.origin = Origin::Code;
            section->entries.push_back(std::move(entry));
        }
    }
    return root;
}

std::string effectiveYaml(const Node& tree, const Facts& facts, bool comments) {
    Writer writer(tree, facts, comments);
    writer.section(tree, "", 0);
    return writer.take();
}

} // namespace rankscope::config
