// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/text_patch.h"

#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

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

std::vector<ChildSpan> without(std::vector<ChildSpan> children, const ChildSpan* leaving) {
    if (leaving)
        std::erase_if(children, [&](const ChildSpan& c) { return c.begin == leaving->begin; });
    return children;
}

void checkIndex(std::size_t index, std::size_t count) {
    if (index != kAtEnd && index > count)
        throwRefused(Errc::BadInput, {"there is no position {}: there are only {} values", index, count});
}

/// Returns the line break that this file uses.
std::string lineBreakOf(const std::string& text) {
    const auto first = text.find_first_of("\r\n");
    return first == std::string::npos ? "\n" : text.substr(first, skipBreak(text, first) - first);
}

/// Returns a value that may be written in brackets: a bare word with a comma or bracket gets quotes.
std::string fittedInFlow(const std::string& value) {
    const auto there = parseYaml("{k: " + value + "}");
    const auto alone = parseYaml(value);
    if (there && there->entries.size() == 1 && alone && sameValue(there->entries[0].value, *alone))
        return value;
    return "\"" + escapedQuotes(alone ? alone->text : value) + "\"";
}

/// Inserts whole lines as child number `index` of the section or list that `way` leads to, not counting `leaving`.
/// `lines` has no line break at its end.
TextPatch patchLines(const std::string& text, const ResolvedPath& way, std::size_t index, const ChildSpan* leaving,
                     const std::string& lines) {
    const auto children = without(way.children(), leaving);
    checkIndex(index, children.size());
    if (index >= children.size()) {
        const std::size_t at = lineEnd(text, children.back().end);
        return {at, at, lineBreakOf(text) + lines};
    }
    const ChildSpan& next = children[index];
    if (next.ownLine)
        return {next.top, next.top, lines + lineBreakOf(text)};
    // before the first key of "- a: 1": the new key goes after the dash, and the old one gets a line
    const std::size_t indent = next.begin - lineBegin(text, next.begin);
    const std::size_t first = std::min(lines.find_first_not_of(' '), lines.size());
    return {next.begin, next.begin, lines.substr(first) + lineBreakOf(text) + std::string(indent, ' ')};
}

/// Does the same between brackets.
TextPatch patchFlow(const std::string& text, const ResolvedPath& way, std::size_t index, const ChildSpan* leaving,
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
    return {at, at, (text[at - 1] == ':' ? " , " : ", ") + item}; // "a:, b" would not have a key a
}

/// Turns "key: # why" and the indented lines below into "key: value # why".
TextPatch replaceBlock(const std::string& text, const ResolvedPath& way, const std::string& value) {
    const std::size_t begin = way.valueOffset();
    const std::size_t end = nodeEnd(text, way.end(), way.steps.back().within());
    const std::size_t lineStop = lineEnd(text, begin);
    std::string rest = text.substr(begin, std::min(lineStop, end) - begin);
    if (contentBegin(text, way.end()) < lineStop || rest.find_first_not_of(" \t") == std::string::npos)
        rest.clear(); // "- a: 1" starts on the dash's line
    return {begin, end, " " + value + rest};
}

class Adding {
public:
    Adding(const std::string& text, const Node& root, const ResolvedPath& way, const EditTarget& place,
           const std::string& value)
        : m_text(text), m_root(root), m_way(way), m_place(place), m_value(value),
          m_rest(way.path.begin() + static_cast<std::ptrdiff_t>(way.steps.size()), way.path.end()) {
        m_rest.push_back(place.name);
    }

    TextPatches patches() {
        const Node& node = m_way.end();
        if (m_way.isComplete() && node.alias && (node.isMap() || node.isList()))
            throwRefused(Errc::Unsupported,
                         {"{} is an alias of another section; edit that section, or the text", joinKey(m_way.path)});
        if (!m_way.isComplete() && m_place.index != kAtEnd)
            throwRefused(Errc::BadInput, {"{} does not exist yet", joinKey(m_way.path)});
        if (node.isList() && m_way.isComplete())
            return {toList(node)};
        if (node.isMap())
            return {toSection(node)};
        if (typeOf(node) != Type::Null)
            throwRefused(Errc::BadInput, node.isList()
                                             ? Message("{} is a list, not a section: {} cannot be set below it",
                                                       joinKey(m_way.resolved()), m_rest.back())
                                             : Message("{} is a value, not a section: {} cannot be set below it",
                                                       joinKey(m_way.resolved()), m_rest.back()));
        return m_way.steps.empty() ? TextPatches{fillDocument()} : fillNull();
    }

private:
    TextPatch toList(const Node& list) {
        if (m_way.endsInFlow())
            return patchFlow(m_text, m_way, m_place.index, nullptr, fittedInFlow(m_value));
        const int indent = static_cast<int>(columnOf(list));
        return patchLines(m_text, m_way, m_place.index, nullptr, std::string(indent, ' ') + "- " + m_value);
    }

    TextPatch toSection(const Node& section) {
        if (m_way.endsInFlow())
            return patchFlow(m_text, m_way, m_place.index, nullptr, inBraces());
        const int indent = inside(section, m_way.around()).indent;
        return patchLines(m_text, m_way, m_place.index, nullptr, lines(indent));
    }

    /// Returns the column of the dashes of a block list.
    std::size_t columnOf(const Node& list) const {
        const std::size_t dash = contentBegin(m_text, list);
        return dash - lineBegin(m_text, dash);
    }

    /// Returns lines such as "  a:\n    b: value".
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
                out = fmt::format("{{{}}}", out);
            out = fmt::format("{}: {}", toText(Node::string(*it)), out);
        }
        return out;
    }

    /// Turns "section:" or "section: null" into a section.
    TextPatches fillNull() {
        const PathStep& step = m_way.steps.back();
        const Node& node = *step.node;
        if (step.flow()) {
            const std::string braces = "{" + inBraces() + "}";
            if (node.isNothing())
                return {{m_way.valueOffset(), m_way.valueOffset(), " " + braces}};
            return {{node.offset, nodeEnd(m_text, node, step.within()), braces}};
        }
        const std::size_t begin = m_way.valueOffset();
        const bool written = node.isScalar() || node.alias;
        const std::size_t end = written ? nodeEnd(m_text, node, step.within()) : begin;
        const std::size_t stop = lineEnd(m_text, end);
        const int indent = step.entry ? step.within().indent : static_cast<int>(begin - 1 - lineBegin(m_text, begin));
        return {{begin, end, ""}, {stop, stop, lineBreakOf(m_text) + lines(indent + stepOf(m_root))}};
    }

    TextPatch fillDocument() {
        if (m_root.isScalar())
            throwRefused(Errc::Unsupported, "the document is just null; edit the text");
        const bool fresh = m_text.empty() || m_text.back() == '\n' || m_text == "\xef\xbb\xbf";
        const std::size_t end = m_text.size();
        return {end, end, (fresh ? "" : lineBreakOf(m_text)) + lines(0) + lineBreakOf(m_text)};
    }

    /// Returns how many columns this file indents by.
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
    const ResolvedPath& m_way;
    const EditTarget& m_place;
    const std::string& m_value;
    Path m_rest; ///< the keys that do not exist yet
};

/// Returns the start of the next line if only a comment or nothing follows `at` in its line; otherwise `at`.
std::size_t overComment(const std::string& text, std::size_t at) {
    const std::size_t end = lineEnd(text, at);
    const std::size_t mark = std::min(text.find_first_not_of(" \t", at), end);
    return mark == end || (text[mark] == '#' && mark > at) ? skipBreak(text, end) : at;
}

TextPatch removeInFlow(const std::string& text, const std::vector<ChildSpan>& children, std::size_t index) {
    const ChildSpan& child = children[index];
    const bool last = index + 1 == children.size();
    const std::size_t next = last ? text.size() : children[index + 1].begin;
    if (child.ownLine && lineBegin(text, child.begin) != lineBegin(text, last ? text.size() : next)) {
        const std::size_t mark = skipBlank(text, child.end);
        const std::size_t end = mark < text.size() && text[mark] == ',' ? mark + 1 : child.end;
        if (const std::size_t line = overComment(text, end); line != end)
            return {child.top, line, ""};
        if (!last)
            return {child.begin, next, ""};
    }
    if (!last)
        return {child.begin, next, ""};
    // together with the separator from the previous child, unless a comment of that child is in between
    if (index > 0 &&
        text.substr(children[index - 1].end, child.begin - children[index - 1].end).find('#') == std::string::npos)
        return {children[index - 1].end, child.end, ""};
    return {child.begin, child.end, ""};
}

/// Returns the position after anchor and tag, or after the colon or dash.
std::size_t propertiesEnd(const std::string& text, const ResolvedPath& way) {
    const Node& node = way.end();
    if (!node.anchored && !node.tagged)
        return way.valueOffset();
    std::size_t end = contentBegin(text, node);
    while (end > node.offset && std::string_view(" \t\r\n").find(text[end - 1]) != std::string_view::npos)
        --end;
    return end;
}

/// Removes the last child of a block section or list, which becomes {} or [].
TextPatches removeOnly(const std::string& text, const ResolvedPath& way, const ChildSpan& child) {
    const std::size_t stop = lineEnd(text, child.end);
    if (way.steps.size() == 1)
        return {{child.ownLine ? child.top : child.begin, skipBreak(text, stop), ""}};
    ResolvedPath parent = way;
    parent.steps.pop_back();
    const std::string empty = way.steps.back().container->isList() ? "[]" : "{}";
    if (!child.ownLine) // "- a: 1"
        return {{child.begin, child.end, empty}};
    const std::size_t at = propertiesEnd(text, parent);
    return {{at, at, " " + empty}, {child.top, skipBreak(text, stop), ""}};
}

TextPatches removeInLines(const std::string& text, const ResolvedPath& way, const std::vector<ChildSpan>& children,
                          std::size_t index) {
    const ChildSpan& child = children[index];
    if (children.size() == 1)
        return removeOnly(text, way, child);
    const std::size_t stop = lineEnd(text, child.end);
    if (child.ownLine)
        return {{child.top, skipBreak(text, stop), ""}};
    if (index + 1 == children.size())
        throwRefused(Errc::Unsupported, "a key that does not begin its line; edit the text");
    const ChildSpan& next = children[index + 1];
    if (next.top == lineBegin(text, next.begin)) // "- a: 1": the next key moves up to the dash
        return {{child.begin, next.begin, ""}};
    std::size_t begin = child.begin;
    while (begin > 0 && text[begin - 1] == ' ')
        --begin;
    return {{begin, stop, ""}}; // the next key has comments above it, so the dash stays alone in its line
}

/// Returns the lines indented by `by` more columns; empty lines stay empty.
std::string indented(const std::string& lines, std::ptrdiff_t by) {
    std::string out;
    for (std::size_t line = 0; line < lines.size();) {
        const std::size_t stop = lineEnd(lines, line), next = skipBreak(lines, stop);
        std::size_t first = line;
        while (first < stop && lines[first] == ' ')
            ++first;
        if (first == stop) {
            out.append(lines, line, next - line);
        } else {
            const auto spaces = std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(first - line) + by);
            out.append(static_cast<std::size_t>(spaces), ' ');
            out.append(lines, first, next - first);
        }
        line = next;
    }
    return out;
}

class MovePatch {
public:
    MovePatch(const std::string& text, const Node& root, const ResolvedPath& from, const ResolvedPath& to,
              const EditTarget& place)
        : m_text(text), m_root(root), m_from(from), m_to(to), m_place(place), m_step(from.steps.back()),
          m_siblings(from.siblings()), m_child(m_siblings.at(m_step.index)) {
        m_name = !place.name.empty() ? place.name : m_step.entry ? m_step.entry->key.text : "";
    }

    TextPatches patches() {
        const bool same = m_step.container == &m_to.end();
        if (m_to.end().isMap() && m_name.empty())
            throwRefused(Errc::BadInput, "a list value that is turned into a key needs a name");
        if (same && (m_siblings.size() == 1 || std::min(m_place.index, m_siblings.size() - 1) == m_step.index))
            return renamed();
        TextPatches out = removePatches(m_text, m_from);
        m_losesComment = std::any_of(out.begin(), out.end(), [&](const TextPatch& s) {
            return hasMark(s.begin, std::min(s.end, m_child.begin)) || hasMark(std::max(s.begin, m_child.end), s.end);
        });
        for (auto& splice : insertion(same ? &m_child : nullptr))
            out.push_back(std::move(splice));
        return out;
    }

private:
    bool isRenamed() const { return m_step.entry && m_name != m_step.entry->key.text; }
    std::string keyText() const {
        if (m_step.entry && !isRenamed())
            return bytes(m_step.entry->key.offset, nodeEnd(m_text, m_step.entry->key, m_step.within()));
        return toText(Node::string(m_name));
    }
    std::string bytes(std::size_t begin, std::size_t end) const { return m_text.substr(begin, end - begin); }

    bool hasMark(std::size_t begin, std::size_t end) const { return begin < end && m_text.find('#', begin) < end; }

    TextPatches renamed() const {
        if (!isRenamed() || m_step.container->isList())
            return {};
        const Node& key = m_step.entry->key;
        return {{key.offset, nodeEnd(m_text, key, m_step.within()), keyText()}};
    }

    TextPatches insertion(const ChildSpan* leaving) {
        const Node& into = m_to.end();
        if (!into.isMap() && !into.isList())
            return addPatches(m_text, m_root, m_to, {m_place.parent, m_name, m_place.index}, oneLine(false));
        const bool sameKind = into.kind == m_step.container->kind;
        if (m_to.endsInFlow()) {
            const bool empty = into.entries.empty() && into.items.empty();
            if (empty && sameKind && !m_step.flow() && canOpen())
                return opened();
            const std::string key = into.isMap() ? keyText() + ": " : "";
            return {patchFlow(m_text, m_to, m_place.index, leaving, key + oneLine(true))};
        }
        const auto column = static_cast<std::size_t>(inside(into, m_to.around()).indent);
        const auto dash = contentBegin(m_text, into);
        const std::size_t indent = into.isMap() ? column : dash - lineBegin(m_text, dash);
        return {patchLines(m_text, m_to, m_place.index, leaving,
                           sameKind && !m_step.flow() ? ownLines(indent) : lineOf(indent))};
    }

    std::string lineOf(std::size_t indent) const {
        return std::string(indent, ' ') + (m_to.end().isMap() ? keyText() + ": " : "- ") + oneLine(false);
    }

    /// Returns the bytes of its lines, without the last line break.
    std::string ownLines(std::size_t indent) const {
        const std::size_t line = lineBegin(m_text, m_child.begin), column = m_child.begin - line;
        std::string before = m_child.ownLine ? bytes(m_child.top, m_child.begin) : std::string(column, ' ');
        std::string rest = bytes(m_child.begin, lineEnd(m_text, m_child.end));
        if (isRenamed())
            rest.replace(0, nodeEnd(m_text, m_step.entry->key, m_step.within()) - m_child.begin, keyText());
        return indented(before + rest, static_cast<std::ptrdiff_t>(indent) - static_cast<std::ptrdiff_t>(column));
    }

    /// Returns whether the target is "to: {}" in the line of its own key.
    bool canOpen() const {
        return !m_to.steps.empty() && m_to.steps.back().entry && !m_to.steps.back().flow() && !m_to.end().anchored &&
               !m_to.end().tagged;
    }

    /// Turns "to: {}  # c" into "to:  # c" with lines below.
    TextPatches opened() const {
        const PathStep& step = m_to.steps.back();
        const std::size_t end = nodeEnd(m_text, m_to.end(), step.within()), stop = lineEnd(m_text, end);
        const auto indent = static_cast<std::size_t>(step.within().indent) + 2;
        return {{m_to.valueOffset(), end, ""}, {stop, stop, lineBreakOf(m_text) + ownLines(indent)}};
    }

    /// Returns the value as YAML in one line.
    std::string oneLine(bool inFlow) const {
        const Node& node = *m_step.node;
        if (node.isNothing())
            return "null";
        const std::size_t end = nodeEnd(m_text, node, m_step.within());
        const std::string raw = bytes(node.offset, end);
        const bool block = !node.flow && !node.alias && (node.isList() || node.isMap());
        const std::size_t begin = m_step.entry ? nodeEnd(m_text, m_step.entry->key, m_step.within()) : m_child.begin;
        if (m_losesComment || hasMark(begin, node.offset) || ((block || node.flow) && hasMark(node.offset, end)))
            throwRefused(Errc::Unsupported,
                         {"{} has comments, which would be lost when it is written on one line; edit the text",
                          joinKey(m_from.path)});
        const bool bar =
            node.isScalar() && !node.alias && std::string_view("|>").find(raw[0]) != std::string_view::npos;
        if (!block && !bar && raw.find_first_of("\r\n") == std::string::npos)
            return inFlow && node.isScalar() && !node.alias && !node.anchored ? fittedInFlow(raw) : raw;
        return toText(node);
    }

    const std::string& m_text;
    const Node& m_root;
    const ResolvedPath &m_from, &m_to;
    const EditTarget& m_place;
    const PathStep& m_step;
    const std::vector<ChildSpan> m_siblings;
    const ChildSpan m_child;
    std::string m_name;
    bool m_losesComment = false; ///< unless its lines are kept as they are
};

} // namespace

TextPatches changePatches(const std::string& text, const ResolvedPath& way, const std::string& value) {
    const PathStep& step = way.steps.back();
    const Node& node = *step.node;
    const std::string fit = step.flow() ? fittedInFlow(value) : value;
    if (node.isNothing()) {
        const std::size_t at = way.valueOffset();
        return {{at, at, " " + fit}};
    }
    if (!node.flow && !node.alias && (node.isList() || node.isMap()))
        return {replaceBlock(text, way, fit)};
    const std::size_t begin = node.alias || (node.tagged && !node.anchored) ? node.offset : contentBegin(text, node);
    return {{begin, nodeEnd(text, node, step.within()), fit}};
}

TextPatches addPatches(const std::string& text, const Node& root, const ResolvedPath& way, const EditTarget& place,
                       const std::string& value) {
    return Adding(text, root, way, place, value).patches();
}

TextPatches removePatches(const std::string& text, const ResolvedPath& way) {
    const PathStep& step = way.steps.back();
    const auto children = way.siblings();
    return step.flow() ? TextPatches{removeInFlow(text, children, step.index)}
                       : removeInLines(text, way, children, step.index);
}

TextPatches movePatches(const std::string& text, const Node& root, const ResolvedPath& from, const ResolvedPath& to,
                        const EditTarget& place) {
    return MovePatch(text, root, from, to, place).patches();
}

} // namespace rankscope::config
