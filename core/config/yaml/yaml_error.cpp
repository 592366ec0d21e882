// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/yaml_error.h"

#include "core/config/yaml/node_extent.h"

#include <fmt/format.h>

#include <string_view>

namespace rankscope::config {
namespace {

/// The tab among the spaces that a line begins with; kNowhere: there is none.
std::size_t tabInIndent(const std::string& text, std::size_t at) {
    const std::size_t begin = lineBegin(text, std::min(at, text.size()));
    const std::size_t first = text.find_first_not_of(" \t", begin);
    const std::size_t tab = text.find('\t', begin);
    return tab < std::min(first, text.size()) ? tab : kNowhere;
}

std::size_t indentOf(const std::string& text, std::size_t line) {
    return text.find_first_not_of(' ', line) - line;
}

/// The line above that holds something; kNowhere: there is none.
std::size_t lineAbove(const std::string& text, std::size_t line) {
    while (line > 0) {
        line = lineBegin(text, line - 1);
        const std::size_t first = text.find_first_not_of(" \t", line);
        if (first < lineEnd(text, line) && text[first] != '#')
            return line;
        if (line <= 3) // a byte order mark stands before the first line
            break;
    }
    return kNowhere;
}

bool hasColon(std::string_view line) {
    return line.find(": ") != std::string_view::npos || line.ends_with(':');
}

/// A word alone in a line as deep as the keys below it: its colon is missing. yaml-cpp stops at the next key's.
std::size_t wordWithoutColon(const std::string& text, std::size_t at) {
    const std::size_t line = lineBegin(text, at);
    const std::size_t above = lineAbove(text, line);
    if (above == kNowhere || indentOf(text, above) != indentOf(text, line))
        return kNowhere;
    const std::string_view words(text.data() + above, lineEnd(text, above) - above);
    return hasColon(words) ? kNowhere : text.find_first_not_of(' ', above);
}

std::string unknownAlias(const std::string& text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,[]{}", at), text.size());
    const std::string name = text.substr(std::min(at + 1, end), end - std::min(at + 1, end));
    return fmt::format("there is no anchor &{0} above for the alias *{0}", name);
}

BrokenYaml explained(const std::string& text, const YamlFailure& failure) {
    const std::size_t at = failure.byte;
    const auto says = [&](std::string_view words) { return failure.words.starts_with(words); };
    if (const std::size_t tab = tabInIndent(text, at); tab != kNowhere || says("illegal tab"))
        return {tab != kNowhere ? tab : at, "a tab; YAML is indented with spaces only"};
    if (says("the referenced anchor"))
        return {at, unknownAlias(text, at)};
    if (failure.inside)
        return {at, fmt::format("a comma or {} is missing here", text[*failure.inside] == '[' ? ']' : '}')};
    if (says("illegal map value")) {
        const std::size_t word = wordWithoutColon(text, at);
        if (word != kNowhere)
            return {word, "a colon and a space are missing after a key"};
        return {at, "a colon that makes no key here; check the indentation, or put the text in quotes"};
    }
    if (says("end of map not found") || says("end of sequence not found"))
        return {at, "a key is expected here; check the indentation and the quotes"};
    if (says("unknown token") && at < text.size())
        return {at, fmt::format("a value cannot begin with {}; put it in quotes", text[at])};
    return {at, failure.words};
}

} // namespace

BrokenYaml explain(const std::string& text, const YamlFailure& failure) {
    BrokenYaml broken = explained(text, failure);
    broken.text = "broken YAML: " + broken.text;
    return broken;
}

} // namespace rankscope::config
