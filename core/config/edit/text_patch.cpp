// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/text_patch.h"

#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

std::string escapedQuotes(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out;
}

/// "key: # why" and the indented lines below become "key: value # why".
Splice replaceBlock(const std::string& text, const Way& way, const std::string& value) {
    const std::size_t begin = way.afterMark();
    const std::size_t end = nodeEnd(text, way.end(), way.steps.back().within());
    const std::size_t lineStop = lineEnd(text, begin);
    std::string rest = text.substr(begin, std::min(lineStop, end) - begin);
    if (contentBegin(text, way.end()) < lineStop || rest.find_first_not_of(" \t") == std::string::npos)
        rest.clear(); // "- a: 1" begins on the dash's line
    return {begin, end, " " + value + rest};
}

class Adding {
public:
    Adding(const std::string& text, const Node& root, const Way& way, const Place& place, const std::string& value)
        : m_text(text), m_root(root), m_way(way), m_place(place), m_value(value),
          m_rest(way.path.begin() + static_cast<std::ptrdiff_t>(way.steps.size()), way.path.end()) {
        m_rest.push_back(place.name);
    }

    Splices splices() {
        const Node& node = m_way.end();
        if (m_way.whole() && node.alias && (node.isMap() || node.isList()))
            refuse(Errc::Unsupported, fmt::format("{} is an alias of another section; edit that section, or the text",
                                                  joinKey(m_way.path)));
        if (!m_way.whole() && m_place.index != kAtEnd)
            refuse(Errc::BadInput, fmt::format("{} is not there yet", joinKey(m_way.path)));
        if (node.isList() && m_way.whole())
            return {toList(node)};
        if (node.isMap())
            return {toSection(node)};
        if (typeOf(node) != Type::Null)
            refuse(Errc::BadInput,
                   fmt::format("{} is a {}, not a section: {} cannot be set below it", joinKey(m_way.taken()),
                               node.isList() ? "list" : "value", m_rest.back()));
        return m_way.steps.empty() ? Splices{fillDocument()} : fillNull();
    }

private:
    Splice toList(const Node& list) {
        if (m_way.endsInFlow())
            return inBracketsAt(m_text, m_way, m_place.index, nullptr, fittedInFlow(m_value));
        const int indent = static_cast<int>(columnOf(list));
        return linesAt(m_text, m_way, m_place.index, nullptr, std::string(indent, ' ') + "- " + m_value);
    }

    Splice toSection(const Node& section) {
        if (m_way.endsInFlow())
            return inBracketsAt(m_text, m_way, m_place.index, nullptr, inBraces());
        const int indent = inside(section, m_way.around()).indent;
        return linesAt(m_text, m_way, m_place.index, nullptr, lines(indent));
    }

    /// Of the dashes of a list in lines.
    std::size_t columnOf(const Node& list) const {
        const std::size_t dash = contentBegin(m_text, list);
        return dash - lineBegin(m_text, dash);
    }

    /// "  a:\n    b: value".
    std::string lines(int indent) const {
        std::string out;
        for (const auto& name : m_rest) {
            out += (out.empty() ? "" : lineBreakOf(m_text)) + std::string(static_cast<std::size_t>(indent), ' ') +
                   toText(Node::string(name)) + ":";
            indent += stepOf(m_root);
        }
        return out + " " + m_value;
    }

    std::string inBraces() const {
        std::string out = fittedInFlow(m_value);
        for (auto it = m_rest.rbegin(); it != m_rest.rend(); ++it) {
            if (it != m_rest.rbegin())
                out = "{" + out + "}";
            out = toText(Node::string(*it)) + ": " + out;
        }
        return out;
    }

    /// "section:" or "section: null" becomes a section.
    Splices fillNull() {
        const Step& step = m_way.steps.back();
        const Node& node = *step.node;
        if (step.flow()) {
            const std::string braces = "{" + inBraces() + "}";
            if (node.isNothing())
                return {{m_way.afterMark(), m_way.afterMark(), " " + braces}};
            return {{node.offset, nodeEnd(m_text, node, step.within()), braces}};
        }
        const std::size_t begin = m_way.afterMark();
        const bool written = node.isScalar() || node.alias;
        const std::size_t end = written ? nodeEnd(m_text, node, step.within()) : begin;
        const std::size_t stop = lineEnd(m_text, end);
        const int indent = step.entry ? step.within().indent : static_cast<int>(begin - 1 - lineBegin(m_text, begin));
        return {{begin, end, ""}, {stop, stop, lineBreakOf(m_text) + lines(indent + stepOf(m_root))}};
    }

    Splice fillDocument() {
        if (m_root.isScalar())
            refuse(Errc::Unsupported, "the document is the word null; edit the text");
        const bool fresh = m_text.empty() || m_text.back() == '\n' || m_text == "\xef\xbb\xbf";
        const std::size_t end = m_text.size();
        return {end, end, (fresh ? "" : lineBreakOf(m_text)) + lines(0) + lineBreakOf(m_text)};
    }

    /// How deep this file indents.
    static int stepOf(const Node& map) {
        for (const auto& e : map.entries) {
            if (!e.value.isMap() || e.value.flow || e.value.alias || e.value.entries.empty() || e.merged)
                continue;
            const int deeper = e.value.entries.front().key.at.column - e.key.at.column;
            return deeper > 0 ? deeper : 2;
        }
        return 2;
    }

    const std::string& m_text;
    const Node& m_root;
    const Way& m_way;
    const Place& m_place;
    const std::string& m_value;
    Path m_rest; ///< the keys that are not there yet
};

std::vector<Child> without(std::vector<Child> children, const Child* leaving) {
    if (leaving)
        std::erase_if(children, [&](const Child& c) { return c.begin == leaving->begin; });
    return children;
}

void checkIndex(std::size_t index, std::size_t count) {
    if (index != kAtEnd && index > count)
        refuse(Errc::BadInput, fmt::format("there is no place {}: there are only {} values", index, count));
}

} // namespace

std::string lineBreakOf(const std::string& text) {
    const auto first = text.find_first_of("\r\n");
    return first == std::string::npos ? "\n" : text.substr(first, skipBreak(text, first) - first);
}

std::string fittedInFlow(const std::string& value) {
    const auto there = parseYaml("{k: " + value + "}");
    const auto alone = parseYaml(value);
    if (there && there->entries.size() == 1 && alone && sameValue(there->entries[0].value, *alone))
        return value;
    return "\"" + escapedQuotes(alone ? alone->text : value) + "\"";
}

Splice linesAt(const std::string& text, const Way& way, std::size_t index, const Child* leaving,
               const std::string& lines) {
    const auto children = without(way.children(), leaving);
    checkIndex(index, children.size());
    if (index >= children.size()) {
        const std::size_t at = lineEnd(text, children.back().end);
        return {at, at, lineBreakOf(text) + lines};
    }
    const Child& next = children[index];
    if (next.ownLine)
        return {next.top, next.top, lines + lineBreakOf(text)};
    // the first of "- a: 1": the new one follows the dash, and the old one gets a line
    const std::size_t indent = next.begin - lineBegin(text, next.begin);
    const std::size_t first = std::min(lines.find_first_not_of(' '), lines.size());
    return {next.begin, next.begin, lines.substr(first) + lineBreakOf(text) + std::string(indent, ' ')};
}

Splice inBracketsAt(const std::string& text, const Way& way, std::size_t index, const Child* leaving,
                    const std::string& item) {
    const auto children = without(way.children(), leaving);
    checkIndex(index, children.size());
    if (children.empty()) {
        const std::size_t at = contentBegin(text, way.end()) + 1;
        return {at, at, item};
    }
    if (index < children.size())
        return {children[index].begin, children[index].begin, item + ", "};
    const std::size_t at = children.back().end;
    return {at, at, (text[at - 1] == ':' ? " , " : ", ") + item}; // "a:, b" has no key a
}

Splices changeSplices(const std::string& text, const Way& way, const std::string& value) {
    const Step& step = way.steps.back();
    const Node& node = *step.node;
    const std::string fit = step.flow() ? fittedInFlow(value) : value;
    if (node.isNothing()) {
        const std::size_t at = way.afterMark();
        return {{at, at, " " + fit}};
    }
    if (!node.flow && !node.alias && (node.isList() || node.isMap()))
        return {replaceBlock(text, way, fit)};
    const std::size_t begin = node.alias || (node.tagged && !node.anchored) ? node.offset : contentBegin(text, node);
    return {{begin, nodeEnd(text, node, step.within()), fit}};
}

Splices addSplices(const std::string& text, const Node& root, const Way& way, const Place& place,
                   const std::string& value) {
    return Adding(text, root, way, place, value).splices();
}

} // namespace rankscope::config
