// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/effective_yaml.h"

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

/// A resolved text that holds "${" was escaped in the file, and must be again.
Node escaped(const Node& node) {
    Node out = node;
    for (auto& item : out.items)
        item = escaped(item);
    for (auto& e : out.entries)
        e.value = escaped(e.value);
    if (node.unresolved)
        return out;
    for (auto at = out.text.find("${"); at != std::string::npos; at = out.text.find("${", at + 2)) {
        std::size_t slashes = 0; // before it count twice, and one more keeps it from being read
        while (slashes < at && out.text[at - slashes - 1] == '\\')
            ++slashes;
        out.text.insert(at, slashes + 1, '\\');
        at += slashes + 1;
    }
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
        return fmt::format("  # {}", spec && spec->code ? spec->source : std::string(originName(value.origin)));
    }

    const Node& m_root;
    const Facts& m_facts;
    bool m_comments;
    std::string m_out;
};

} // namespace

std::string effectiveYaml(const Node& tree, const Facts& facts, bool comments) {
    Writer writer(tree, facts, comments);
    writer.section(tree, "", 0);
    return writer.take();
}

} // namespace rankscope::config
