// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/node_extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace rankscope::config {
namespace {

bool isSpace(char c) {
    return c == ' ' || c == '\t';
}

bool isBreak(char c) {
    return c == '\n' || c == '\r';
}

bool isFlowMark(char c) {
    return std::string_view(",[]{}").find(c) != std::string_view::npos;
}

char at(const std::string& text, std::size_t i) {
    return i < text.size() ? text[i] : '\n'; // the end of the file ends everything that the end of a line ends
}

std::size_t doubleQuotedEnd(const std::string& text, std::size_t i) {
    for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\')
            ++i;
    return std::min(i + 1, text.size());
}

/// Returns whether an odd number of backslashes precedes it.
bool isEscaped(const std::string& text, std::size_t begin, std::size_t i) {
    std::size_t n = 0;
    while (i - n > begin + 1 && text[i - n - 1] == '\\')
        ++n;
    return n % 2 == 1;
}

std::size_t singleQuotedEnd(const std::string& text, std::size_t i) {
    for (++i; i < text.size(); ++i) {
        if (text[i] != '\'')
            continue;
        if (at(text, i + 1) != '\'')
            return i + 1;
        ++i;
    }
    return text.size();
}

/// Returns the number of spaces before the first other byte; -1 for a line without one.
int indentOfLine(const std::string& text, std::size_t begin) {
    std::size_t i = begin;
    while (i < text.size() && text[i] == ' ')
        ++i;
    return i >= text.size() || isBreak(text[i]) ? -1 : static_cast<int>(i - begin);
}

bool isBlankLine(const std::string& text, std::size_t begin) {
    while (begin < text.size() && isSpace(text[begin]))
        ++begin;
    return begin >= text.size() || isBreak(text[begin]);
}

/// Returns the end of a | or > scalar: lines that are indented deeper than the enclosing block. Blank lines at the end
/// belong to it only with +.
std::size_t blockScalarEnd(const std::string& text, std::size_t i, int indent) {
    std::size_t end = lineEnd(text, i);
    const std::string_view header(text.data() + i, end - i);
    const bool keep = header.substr(0, 3).find('+') != std::string_view::npos;
    std::size_t comment = header.find(" #");
    std::size_t last = comment == std::string_view::npos ? end : i + comment;
    for (std::size_t line = skipBreak(text, end); line < text.size() && line != end; line = skipBreak(text, end)) {
        const bool blank = isBlankLine(text, line);
        if (!blank && indentOfLine(text, line) <= indent)
            break;
        end = lineEnd(text, line);
        if (!blank || keep)
            last = end;
    }
    return last;
}

bool isDocumentMark(const std::string& text, std::size_t line) {
    return text.compare(line, 3, "---") == 0 || text.compare(line, 3, "...") == 0;
}

/// Returns the end of a plain scalar within its line; `more`: the scalar may continue in the next line.
std::size_t plainLineEnd(const std::string& text, std::size_t i, bool flow, bool& more) {
    std::size_t last = i;
    more = true;
    for (; i < text.size() && !isBreak(text[i]); ++i) {
        const char c = text[i], next = at(text, i + 1);
        const bool comment = c == '#' && i > 0 && isSpace(text[i - 1]);
        const bool colon = c == ':' && (isSpace(next) || isBreak(next) || (flow && isFlowMark(next)));
        if (comment || colon || (flow && isFlowMark(c))) {
            more = false;
            break;
        }
        if (!isSpace(c))
            last = i + 1;
    }
    return last;
}

std::size_t plainEnd(const std::string& text, std::size_t i, const FlowContext& around) {
    bool more = true;
    std::size_t end = plainLineEnd(text, i, around.flow, more);
    while (more) {
        std::size_t line = skipBreak(text, lineEnd(text, end));
        while (line < text.size() && isBlankLine(text, line) && skipBreak(text, lineEnd(text, line)) > line)
            line = skipBreak(text, lineEnd(text, line));
        if (line >= text.size() || isBlankLine(text, line))
            break;
        const std::size_t first = text.find_first_not_of(" \t", line);
        const bool deeper = around.flow || indentOfLine(text, line) > around.indent;
        if (!deeper || text[first] == '#' || isDocumentMark(text, line))
            break;
        const std::size_t next = plainLineEnd(text, first, around.flow, more);
        if (next == first)
            break;
        end = next;
    }
    return end;
}

std::size_t aliasEnd(const std::string& text, std::size_t i) {
    while (i < text.size() && !isSpace(text[i]) && !isBreak(text[i]) && !isFlowMark(text[i]))
        ++i;
    return i;
}

/// Returns the end of the last child; the start of the container if it has none.
std::size_t childrenEnd(const std::string& text, const Node& node, const FlowContext& around, std::size_t begin) {
    const FlowContext within = inside(node, around);
    if (!node.items.empty()) // an empty value after a dash is located right after it
        return node.items.back().isNothing() ? node.items.back().offset : nodeEnd(text, node.items.back(), within);
    const auto own = std::find_if(node.entries.rbegin(), node.entries.rend(), [](const Entry& e) { return !e.merged; });
    return own == node.entries.rend() ? begin : entryEnd(text, *own, within);
}

std::size_t flowEnd(const std::string& text, const Node& node, const FlowContext& around) {
    const std::size_t begin = contentBegin(text, node);
    const char open = at(text, begin);
    if (open != '[' && open != '{') // [a: b] contains a map without braces
        return childrenEnd(text, node, around, begin);
    const char close = open == '[' ? ']' : '}';
    std::size_t i = childrenEnd(text, node, around, begin + 1);
    while (i < text.size() && text[i] != close) {
        const std::size_t next = skipBlank(text, i);
        i = next > i ? next : i + 1;
    }
    return std::min(i + 1, text.size());
}

/// Returns the number of bytes of the UTF-8 sequence that starts at `i`; 0 if it is not UTF-8.
std::size_t sequenceLength(const std::string& text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char c = byte(i);
    const std::size_t n = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : c >= 0xe0 && c < 0xf0 ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    if (n == 0 || i + n > text.size())
        return 0;
    for (std::size_t k = 1; k < n; ++k)
        if ((byte(i + k) & 0xc0) != 0x80)
            return 0;
    return n;
}

/// YAML 1.1, which PyYAML reads, has three more line breaks than YAML 1.2, which yaml-cpp reads.
std::string_view breakBeyondAscii(std::string_view character) {
    return character == "\xc2\x85"       ? "0085"
           : character == "\xe2\x80\xa8" ? "2028"
           : character == "\xe2\x80\xa9" ? "2029"
                                         : "";
}

} // namespace

std::optional<Problem> wrongBytes(const std::string& text) {
    Position at{1, 1};
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t n = sequenceLength(text, i);
        if (n == 0)
            return errorAt(at, "not UTF-8 text");
        if (const auto code = breakBeyondAscii(std::string_view(text).substr(i, n)); !code.empty())
            return errorAt(at, {"the character U+{0}, which NeMo's reader treats as the end of a line; write \\u{0} in "
                                "double quotes",
                                code});
        if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
            return errorAt(at, "a carriage return that does not end a line; save the file with LF or CRLF line ends");
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return errorAt(at, {"a control character (0x{:02x}) that YAML does not allow", c});
        at.column += static_cast<int>(n);
        if (c == '\n')
            at = Position{at.line + 1, 1};
        i += n;
    }
    return std::nullopt;
}

std::size_t skipBlank(const std::string& text, std::size_t i) {
    while (i < text.size()) {
        if (text[i] == '#' && (i == 0 || isSpace(text[i - 1]) || isBreak(text[i - 1])))
            i = lineEnd(text, i);
        else if (isSpace(text[i]) || isBreak(text[i]))
            ++i;
        else
            break;
    }
    return i;
}

std::size_t lineBegin(const std::string& text, std::size_t i) {
    while (i > 0 && text[i - 1] != '\n' && !(text[i - 1] == '\r' && at(text, i) != '\n'))
        --i;
    return i == 0 && text.starts_with("\xef\xbb\xbf") ? 3 : i;
}

std::size_t lineEnd(const std::string& text, std::size_t i) {
    while (i < text.size() && !isBreak(text[i]))
        ++i;
    return i;
}

std::size_t skipBreak(const std::string& text, std::size_t i) {
    if (text.compare(i, 2, "\r\n") == 0)
        return i + 2;
    return i < text.size() && isBreak(text[i]) ? i + 1 : i;
}

std::size_t contentBegin(const std::string& text, const Node& node) {
    std::size_t i = node.offset;
    if (!node.anchored && !node.tagged)
        return i;
    while (i < text.size() && (text[i] == '&' || text[i] == '!')) {
        while (i < text.size() && !isSpace(text[i]) && !isBreak(text[i]))
            ++i;
        i = skipBlank(text, i);
    }
    return i;
}

FlowContext inside(const Node& container, const FlowContext& around) {
    if (around.flow || container.flow)
        return {true, around.indent};
    if (container.isMap() && !container.entries.empty())
        return {false, container.entries.front().key.at.column - 1};
    const bool ownLine = container.isList() && !container.anchored && !container.tagged;
    return {false, ownLine ? container.at.column - 1 : around.indent};
}

std::size_t nodeEnd(const std::string& text, const Node& node, const FlowContext& around) {
    const std::size_t begin = node.alias ? node.offset : contentBegin(text, node);
    if (node.alias)
        return aliasEnd(text, begin);
    if (node.kind == Node::Kind::Null)
        return begin;
    if (node.isList() || node.isMap())
        return node.flow ? flowEnd(text, node, around) : childrenEnd(text, node, around, begin);
    switch (at(text, begin)) {
    case '"':
        return doubleQuotedEnd(text, begin);
    case '\'':
        return singleQuotedEnd(text, begin);
    case '|':
    case '>':
        if (!around.flow)
            return blockScalarEnd(text, begin, around.indent);
        [[fallthrough]];
    default:
        return plainEnd(text, begin, around);
    }
}

bool isClosed(const std::string& text, const Node& node) {
    const std::size_t begin = contentBegin(text, node);
    const char quote = at(text, begin);
    if (quote != '"' && quote != '\'')
        return true;
    const std::size_t end = quote == '"' ? doubleQuotedEnd(text, begin) : singleQuotedEnd(text, begin);
    return end > begin + 1 && text[end - 1] == quote && !(quote == '"' && isEscaped(text, begin, end - 1));
}

std::size_t colonAfter(const std::string& text, const Node& key, const FlowContext& around) {
    std::size_t i = nodeEnd(text, key, around);
    while (i < text.size() && isSpace(text[i]))
        ++i;
    return at(text, i) == ':' ? i : kNowhere;
}

std::size_t entryEnd(const std::string& text, const Entry& entry, const FlowContext& around) {
    if (!entry.value.isNothing())
        return nodeEnd(text, entry.value, around);
    const std::size_t colon = colonAfter(text, entry.key, around);
    return colon == kNowhere ? nodeEnd(text, entry.key, around) : colon + 1;
}

} // namespace rankscope::config
