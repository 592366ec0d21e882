// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/document.h"

#include "core/base/values/result.h"
#include "core/config/edit/document_edit.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

namespace rankscope::config {
namespace {

void leaves(const Node& node, const std::string& at, std::vector<std::string>& out) {
    for (const auto& e : node.entries) {
        const std::string key = joinKey(at, e.key.text);
        if (e.mergeKey)
            continue;
        if (e.value.isMap() && !e.value.entries.empty())
            leaves(e.value, key, out);
        else
            out.push_back(key);
    }
}

} // namespace

Document::Document() : m_root(std::make_shared<const Node>()) {}

Document::Document(std::string text, std::string fileName, tl::expected<Node, Problem> parsed)
    : m_text(std::move(text)), m_fileName(std::move(fileName)) {
    if (parsed)
        m_root = std::make_shared<const Node>(std::move(*parsed));
    else
        m_parseError = std::move(parsed.error());
}

Document Document::fromText(std::string text, std::string fileName) {
    auto parsed = parseYaml(text);
    return {std::move(text), std::move(fileName), std::move(parsed)};
}

std::optional<ValueText> Document::value(const std::string& key) const {
    const Node* node = m_root ? find(*m_root, key) : nullptr;
    return node ? std::optional(toText(*node)) : std::nullopt;
}

Position Document::position(const std::string& key) const {
    const Node* node = m_root ? &*m_root : nullptr;
    Position at;
    for (const auto& name : splitKey(key)) {
        const Entry* entry = node && node->isMap() ? node->entry(name) : nullptr;
        node = node ? node->child(name) : nullptr;
        if (!node)
            return {};
        at = entry && node->kind == Node::Kind::Null ? entry->key.at : node->at;
    }
    return at;
}

std::vector<std::string> Document::keys() const {
    std::vector<std::string> out;
    if (m_root)
        leaves(*m_root, "", out);
    return out;
}

Result<void> Document::set(const std::string& key, const ValueText& value) {
    const Path path = splitKey(key);
    auto edit = changeValue(*this, path, value);
    if (!edit && edit.error().code == Errc::NotFound) {
        const Path parent(path.begin(), path.end() - 1);
        if (const Node* list = find(*m_root, parent); list && list->isList())
            return fail(Errc::NotFound, fmt::format("the list {} has no value {}", joinKey(parent), path.back()),
                        m_fileName);
        edit = addValue(*this, {parent, path.back(), kAtEnd}, value);
    }
    if (!edit)
        return tl::unexpected(edit.error());
    *this = std::move(edit->after);
    return {};
}

Result<void> Document::remove(const std::string& key) {
    RS_TRY_ASSIGN(auto edit, removeValue(*this, splitKey(key)));
    *this = std::move(edit.after);
    return {};
}

} // namespace rankscope::config
