// SPDX-License-Identifier: Apache-2.0
#include "core/config/hydra/override.h"

#include "core/base/text/unit_format.h"
#include "core/config/yaml/node_extent.h"
#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <cctype>

namespace rankscope::config {
namespace {

struct Bad {
    Message why;
};

class ValueParser {
public:
    explicit ValueParser(const std::string& text) : m_text(text) {}

    Node whole() {
        Node value = parse("");
        skipSpace();
        if (m_at < m_text.size() && m_text[m_at] == ',')
            throw Bad{"several values (a sweep) would start several runs; give one value, or a list in brackets: "
                      "[a,b]"};
        if (m_at < m_text.size())
            throw Bad{{"cannot read \"{}\" after the value", m_text.substr(m_at)}};
        return value;
    }

private:
    void skipSpace() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    Node parse(const char* stops) {
        skipSpace();
        if (++m_depth > 50)
            throw Bad{"nested too deeply"};
        Node value;
        if (peek() == '[')
            value = list();
        else if (peek() == '{')
            value = map();
        else if (peek() == '\'' || peek() == '"')
            value = Node::string(quoted());
        else
            value = bare(stops);
        --m_depth;
        return value;
    }

    Node list() {
        Node out;
        out.kind = Node::Kind::List;
        out.flow = true;
        ++m_at;
        for (skipSpace(); peek() != ']'; skipSpace()) {
            if (!out.items.empty())
                expect(',', "a list needs , between its values and ] at its end");
            out.items.push_back(parse(",]"));
        }
        ++m_at;
        return out;
    }

    Node map() {
        Node out = Node::map();
        out.flow = true;
        ++m_at;
        for (skipSpace(); peek() != '}'; skipSpace()) {
            if (!out.entries.empty())
                expect(',', "a section needs , between its keys and } at its end");
            Entry entry;
            entry.key = parse(":,}");
            if (!entry.key.isScalar() || out.child(entry.key.text))
                throw Bad{"a key must be a word that appears once"};
            if (entry.key.text.size() > kMaxKey)
                throw Bad{{"a key of more than {} bytes: this is not a recipe", kMaxKey}};
            skipSpace();
            expect(':', "a section is written {key: value}");
            entry.value = parse(",}");
            out.entries.push_back(std::move(entry));
        }
        ++m_at;
        return out;
    }

    void expect(char c, const Message& why) {
        if (peek() != c)
            throw Bad{why};
        ++m_at;
    }

    std::string quoted() {
        const char quote = m_text[m_at++];
        std::string out;
        while (m_at < m_text.size() && m_text[m_at] != quote) {
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size() &&
                (m_text[m_at + 1] == quote || m_text[m_at + 1] == '\\'))
                ++m_at;
            out += m_text[m_at++];
        }
        expect(quote, "a quote is not closed");
        return out;
    }

    /// Reads a bare value up to a stop character; ${…} is read as a whole.
    Node bare(std::string_view stops) {
        std::string out;
        int braces = 0;
        const bool top = stops.empty();
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (m_text.compare(m_at, 2, "${") == 0 || (c == '{' && braces > 0))
                ++braces;
            if (braces == 0 && (stops.find(c) != std::string_view::npos || (top && c == ',')))
                break;
            out += c;
            if (c == '$' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '{')
                out += m_text[++m_at];
            else if (c == '}' && braces > 0)
                --braces;
            ++m_at;
        }
        while (!out.empty() && out.back() == ' ')
            out.pop_back();
        if (out.empty() && !top)
            throw Bad{"a value is missing"};
        return word(out);
    }

    /// Interprets a bare word as Hydra does: null and booleans in any case, inf and nan, no yes/no; an empty value is
    /// an empty string.
    static Node word(const std::string& text) {
        std::string lower = text;
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (lower == "null" || lower == "true" || lower == "false")
            return Node::plain(lower);
        const bool sign = !lower.empty() && (lower[0] == '-' || lower[0] == '+');
        const std::string magnitude = sign ? lower.substr(1) : lower;
        if (magnitude == "inf" || magnitude == "nan")
            return Node::plain((lower[0] == '-' && magnitude == "inf" ? "-." : ".") + magnitude);
        const Node plain = Node::plain(text);
        const Type type = typeOf(plain);
        const bool number = (type == Type::Int || type == Type::Float) && text.find(':') == std::string::npos;
        return number || hasInterpolation(plain) || isMissing(plain) ? plain : Node::string(text);
    }

    const std::string& m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
};

void mark(Node& node) {
    node.origin = Origin::Override;
    for (auto& item : node.items)
        mark(item);
    for (auto& e : node.entries)
        mark(e.value);
}

/// Sets the value at `path`; missing and null parents become sections.
void assign(Node& root, const Path& path, Node value) {
    Node* node = &root;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (Node* next = node->child(path[i])) {
            node = next;
            continue;
        }
        const auto here = [&] { return joinKey(Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i))); };
        if (node->isList())
            throw Bad{{"the list {} has no value {}", here(), path[i]}};
        if (!node->isMap() && typeOf(*node) != Type::Null)
            throw Bad{{"{} is a value, not a section", here()}};
        if (!node->isMap())
            *node = Node::map();
        node = &node->childOrNew(path[i]);
    }
    const Position at = node->at;
    *node = std::move(value);
    node->at = at;
}

void removeKey(Node& root, const std::string& key, const std::optional<Node>& onlyIf) {
    Path path = splitKey(key);
    const Node* old = find(root, path);
    if (!old)
        throw Bad{suggesting({"there is no {} to remove", key}, nearestWord(key, allKeys(root)))};
    if (onlyIf && !sameValue(*old, *onlyIf))
        throw Bad{{"{} is {}, not {}: not removed", key, toText(*old), toText(*onlyIf)}};
    const std::string last = path.back();
    path.pop_back();
    Node* parent = &root;
    for (const auto& part : path)
        parent = parent->child(part);
    if (parent->isList())
        parent->items.erase(parent->items.begin() + std::stol(last));
    else
        parent->erase(last);
}

void apply(Node& root, const std::string& text, const std::function<bool(const std::string&)>& isKnown) {
    if (const auto wrong = wrongBytes(text))
        throw Bad{wrong->text};
    const auto equals = text.find('=');
    const bool remove = text.starts_with("~");
    const bool force = text.starts_with("++");
    const bool add = text.starts_with("+");
    const std::size_t begin = remove || (add && !force) ? 1 : force ? 2 : 0;
    if (equals == std::string::npos && !remove)
        throw Bad{"an override is written as key=value, +key=value, ++key=value or ~key"};
    const std::string key = text.substr(begin, std::min(equals, text.size()) - begin);
    const Path path = splitKey(key);
    if (key.size() > kMaxKey || path.empty() || key.find_first_of(" \t@:{}\"'") != std::string::npos ||
        key.find('/') != std::string::npos)
        throw Bad{{"\"{}\" is not a key (config groups and packages are not supported)", key}};
    std::optional<Node> value;
    if (equals != std::string::npos)
        value = ValueParser(text.substr(equals + 1)).whole();
    if (remove)
        return removeKey(root, key, value);
    const Node* old = find(root, path);
    if (add && !force && old)
        throw Bad{{"{} already exists; omit + to change it, or use ++ to add or change it", key}};
    if (!add && !old && !isKnown(key)) {
        const std::string near = nearestWord(key, allKeys(root));
        throw Bad{near.empty() ? Message("there is no key {}; +{} adds it", key, text)
                               : Message("there is no key {}; did you mean {}? +{} adds it", key, near, text)};
    }
    mark(*value);
    assign(root, path, std::move(*value));
}

} // namespace

tl::expected<Node, Message> parseOverrideValue(const std::string& text) {
    try {
        return ValueParser(text).whole();
    } catch (const Bad& bad) {
        return tl::unexpected(bad.why);
    }
}

tl::expected<void, Message> applyOverride(Node& root, const std::string& text,
                                          const std::function<bool(const std::string&)>& isKnown) {
    try {
        apply(root, text, isKnown);
        return {};
    } catch (const Bad& bad) {
        return tl::unexpected(bad.why);
    }
}

} // namespace rankscope::config
