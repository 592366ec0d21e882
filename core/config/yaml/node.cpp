// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/node.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rankscope::config {

Message originMessage(Origin origin) {
    static const std::array<Message, 5> names{"your file", "override", "NeMo YAML", "NeMo code", "not set"};
    return names.at(static_cast<std::size_t>(origin));
}

Message suggesting(Message wrong, const std::string& similar) {
    return similar.empty() ? wrong : Message("{}; did you mean {}?", std::move(wrong), similar);
}

Node Node::plain(std::string text) {
    Node n;
    n.kind = Kind::Scalar;
    n.text = std::move(text);
    return n;
}

Node Node::string(std::string text) {
    Node n = plain(std::move(text));
    n.quoted = true;
    return n;
}

Node Node::map() {
    Node n;
    n.kind = Kind::Map;
    return n;
}

const Entry* Node::entry(std::string_view name) const {
    const auto it = std::ranges::find_if(entries, [&](const Entry& e) { return !e.mergeKey && e.key.text == name; });
    return it == entries.end() ? nullptr : &*it;
}

const Node* Node::child(std::string_view name) const {
    if (kind == Kind::Map) {
        const Entry* e = entry(name);
        return e ? &e->value : nullptr;
    }
    std::size_t index = 0;
    const auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool number = ec == std::errc{} && end == name.data() + name.size();
    return kind == Kind::List && number && index < items.size() ? &items[index] : nullptr;
}

Node* Node::child(std::string_view name) {
    return const_cast<Node*>(static_cast<const Node*>(this)->child(name));
}

bool Node::erase(std::string_view name) {
    const auto before = entries.size();
    std::erase_if(entries, [&](const Entry& e) { return !e.mergeKey && e.key.text == name; });
    return entries.size() != before;
}

Node& Node::childOrNew(const std::string& name) {
    if (!child(name))
        entries.push_back({plain(name), {}});
    return *child(name);
}

ChildIndex::ChildIndex(const Node* map) : m_map(map && map->isMap() ? map : nullptr) {
    if (!m_map || m_map->entries.size() < 16)
        return;
    for (std::size_t i = 0; i < m_map->entries.size(); ++i)
        if (!m_map->entries[i].mergeKey)
            m_places.emplace(m_map->entries[i].key.text, i);
}

const Node* ChildIndex::find(std::string_view name) const {
    if (!m_map || m_places.empty())
        return m_map ? m_map->child(name) : nullptr;
    const auto it = m_places.find(name);
    return it == m_places.end() ? nullptr : &m_map->entries[it->second].value;
}

Path splitKey(std::string_view key) {
    Path path;
    std::string part;
    for (const char c : key) {
        if (c == '.' || c == '[' || c == ']') {
            if (!part.empty())
                path.push_back(std::move(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!part.empty())
        path.push_back(std::move(part));
    return path;
}

std::string joinKey(const Path& path) {
    std::string key;
    for (const auto& part : path)
        key = joinKey(key, part);
    return key;
}

std::string joinKey(const std::string& section, const std::string& name) {
    return section.empty() ? name : section + "." + name;
}

static void addMerged(Node& map, const Node& from) {
    for (const auto& e : from.entries) {
        if (e.mergeKey || map.entry(e.key.text))
            continue;
        Entry copy = e;
        copy.merged = true;
        map.entries.push_back(std::move(copy));
    }
}

void expandMerge(Node& map) {
    std::erase_if(map.entries, [](const Entry& e) { return e.merged; });
    for (std::size_t i = 0, own = map.entries.size(); i < own; ++i) {
        if (!map.entries[i].mergeKey)
            continue;
        const Node from = map.entries[i].value;
        if (from.isMap())
            addMerged(map, from);
        for (const auto& item : from.items)
            addMerged(map, item);
    }
}

std::size_t countNodes(const Node& node) {
    std::size_t n = 1;
    for (const auto& item : node.items)
        n += countNodes(item);
    for (const auto& e : node.entries)
        n += 1 + countNodes(e.value);
    return n;
}

std::size_t writtenEntries(const Node& node) {
    return node.isList() ? node.items.size()
                         : static_cast<std::size_t>(
                               std::ranges::count_if(node.entries, [](const Entry& e) { return !e.merged; }));
}

static void collectKeys(const Node& node, const std::string& prefix, std::vector<std::string>& out) {
    for (const auto& e : node.entries) {
        if (e.mergeKey)
            continue;
        const std::string key = joinKey(prefix, e.key.text);
        out.push_back(key);
        collectKeys(e.value, key, out);
    }
}

std::vector<std::string> allKeys(const Node& root) {
    std::vector<std::string> keys;
    collectKeys(root, "", keys);
    return keys;
}

const Node* find(const Node& root, const Path& path) {
    const Node* node = &root;
    for (const auto& part : path) {
        if (!node)
            return nullptr;
        node = node->child(part);
    }
    return node;
}

} // namespace rankscope::config
