// SPDX-License-Identifier: Apache-2.0
#include "core/config/document.h"

#include "core/config/bytes.h"
#include "core/config/splices.h"
#include "core/config/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

/// The same tree down to the digits; stricter than sameValue(): 5 and 5.0 differ, and so does another order of keys.
bool sameTree(const Node& a, const Node& b) {
    if (typeOf(a) != typeOf(b))
        return false;
    if (a.isScalar() && b.isScalar() && typeOf(a) != Type::Null)
        return a.text == b.text;
    if (a.isList())
        return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), sameTree);
    return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                      [](const Entry& x, const Entry& y) {
                          return x.key.text == y.key.text && x.mergeKey == y.mergeKey && sameTree(x.value, y.value);
                      });
}

/// What the tree must look like after set().
void put(Node& root, const Path& path, const Node& value) {
    Node* node = &root;
    for (const auto& name : path) {
        if (Node* child = node->child(name)) {
            node = child;
            continue;
        }
        if (!node->isMap())
            *node = Node::map();
        Entry entry{Node::plain(name), {}};
        // before what "<<" brought in: that always follows the section's own keys
        const auto at =
            std::find_if(node->entries.begin(), node->entries.end(), [](const Entry& e) { return e.merged; });
        node = &node->entries.insert(at, std::move(entry))->value;
    }
    *node = value;
}

/// A key that "<<" brought in becomes the section's own: its entry moves.
void unmerge(Node& root, const Path& path) {
    Node* node = &root;
    for (std::size_t i = 0; node && i < path.size(); ++i) {
        const Entry* entry = node->isMap() ? node->entry(path[i]) : nullptr;
        if (entry && entry->merged) {
            node->erase(path[i]);
            return;
        }
        node = node->child(path[i]);
    }
}

void take(Node& root, const Path& path) {
    Node* node = &root;
    for (std::size_t i = 0; node && i + 1 < path.size(); ++i)
        node = node->child(path[i]);
    if (node)
        node->erase(path.back());
}

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

/// The value as YAML of one line that is nothing but a value.
Result<Node> readValue(const std::string& value) {
    if (value.find_first_not_of(" \t") == std::string::npos)
        return fail(Errc::BadInput, "an empty value; write null, or \"\" for an empty text");
    if (value.find_first_of("\r\n") != std::string::npos)
        return fail(Errc::BadInput, "a value must stand in one line");
    auto parsed = parseYaml("k: " + value);
    if (!parsed)
        return fail(Errc::BadInput, fmt::format("{} is no YAML value: {}", value, parsed.error().text));
    if (!parsed->isMap() || parsed->entries.size() != 1 || parsed->entries[0].mergeKey)
        return fail(Errc::BadInput, fmt::format("{} is no single YAML value", value));
    Node node = std::move(parsed->entries[0].value);
    const std::string text = "k: " + value;
    const bool whole = node.kind != Node::Kind::Null && node.offset == text.find_first_not_of(" ", 2) &&
                       text.find_first_not_of(" \t", nodeEnd(text, node, {false, 0})) == std::string::npos;
    if (!whole || node.anchored || node.alias || text[contentBegin(text, node)] == '|' ||
        text[contentBegin(text, node)] == '>')
        return fail(Errc::BadInput,
                    fmt::format("{} is more than a plain YAML value (a comment, anchor or block)", value));
    return node;
}

std::string trimmed(const std::string& value) {
    const auto first = value.find_first_not_of(" \t");
    return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

} // namespace

Document::Document() : m_root(std::make_shared<const Node>()) {}

Document Document::fromText(std::string text, std::string fileName) {
    Document document;
    document.m_fileName = std::move(fileName);
    document.reset(std::move(text));
    return document;
}

void Document::reset(std::string text) {
    m_text = std::move(text);
    auto parsed = parseYaml(m_text);
    m_parseError.reset();
    m_root.reset();
    if (parsed)
        m_root = std::make_shared<const Node>(std::move(*parsed));
    else
        m_parseError = std::move(parsed.error());
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

/// Broken text, no key.
static std::optional<Error> unusable(const Document& document, const Path& path, const std::string& key) {
    if (const auto& broken = document.parseError())
        return Error{Errc::BadInput, "the text must be mended first: " + broken->text,
                     fmt::format("{}:{}:{}", document.fileName(), broken->at.line, broken->at.column)};
    if (path.empty())
        return Error{Errc::BadInput, fmt::format("\"{}\" is no key", key), document.fileName()};
    return std::nullopt;
}

static tl::unexpected<Error> wouldChangeMore(const std::string& key, const std::string& fileName) {
    return fail(
        Errc::Unsupported,
        fmt::format("{} cannot be changed without changing other values of the file (an anchor that others refer "
                    "to, or unusual YAML); edit the text",
                    key),
        fileName);
}

Result<void> Document::set(const std::string& key, const ValueText& value) {
    const Path path = splitKey(key);
    if (auto error = unusable(*this, path, key))
        return tl::unexpected(*error);
    const auto node = readValue(value);
    if (!node)
        return tl::unexpected(Error{node.error().code, key + ": " + node.error().what, m_fileName});
    auto text = editSet(m_text, *m_root, path, trimmed(value));
    if (!text)
        return tl::unexpected(Error{text.error().code, text.error().what, m_fileName});
    Node expected = *m_root;
    unmerge(expected, path);
    put(expected, path, *node);
    const auto after = parseYaml(*text);
    if (!after || !sameTree(*after, expected))
        return wouldChangeMore(key, m_fileName);
    reset(std::move(*text));
    return {};
}

Result<void> Document::remove(const std::string& key) {
    const Path path = splitKey(key);
    if (auto error = unusable(*this, path, key))
        return tl::unexpected(*error);
    auto text = editRemove(m_text, *m_root, path);
    if (!text)
        return tl::unexpected(Error{text.error().code, text.error().what, m_fileName});
    Node expected = *m_root;
    take(expected, path);
    const auto after = parseYaml(*text);
    const bool emptied = after && after->kind == Node::Kind::Null && expected.entries.empty();
    if (!after || !(emptied || sameTree(*after, expected)))
        return wouldChangeMore(key, m_fileName);
    reset(std::move(*text));
    return {};
}

} // namespace rankscope::config
