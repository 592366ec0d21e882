// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/yaml_cpp_message.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::config {
namespace {

/// The texts of yaml-cpp/exceptions.h that its parser can report, except for those that explained() replaces.
const std::vector<Message>& knownMessages() {
    static const std::vector<Message> all{
        "YAML directives must have exactly one argument",
        "YAML major version too large",
        "repeated YAML directive",
        "TAG directives must have exactly two arguments",
        "repeated TAG directive",
        "illegal character found while scanning tag handle",
        "tag handle with no suffix",
        "end of verbatim tag not found",
        "end of map flow not found",
        "end of sequence flow not found",
        "cannot assign multiple tags to the same node",
        "cannot assign multiple anchors to the same node",
        "cannot assign multiple aliases to the same node",
        "aliases can't have any content, *including* tags",
        "bad character found while scanning hex number",
        "unknown token",
        "illegal document indicator in scalar",
        "illegal EOF in scalar",
        "illegal character in scalar",
        "illegal flow end",
        "illegal block entry",
        "illegal map key",
        "alias not found after *",
        "anchor not found after &",
        "illegal character found while scanning alias",
        "illegal character found while scanning anchor",
        "cannot set zero indentation for a block scalar",
        "unexpected character in block scalar",
        "cannot assign the same alias to multiple nodes",
        "invalid scalar",
        "unmatched group tag",
        "unexpected end sequence token",
        "unexpected end map token",
        "invalid character in single-quoted string",
        "invalid anchor",
        "invalid alias",
        "invalid tag",
        "bad file",
    };
    return all;
}

} // namespace

Message yamlCppMessage(const std::string& words) {
    const auto& all = knownMessages();
    const auto known = std::ranges::find(all, words, &Message::pattern);
    if (known != all.end())
        return *known;
    const auto after = [&](std::string_view start) {
        return words.starts_with(start) ? std::optional(words.substr(start.size())) : std::nullopt;
    };
    if (const auto version = after("bad YAML version: "))
        return {"bad YAML version: {}", *version};
    if (const auto code = after("invalid unicode: "))
        return {"invalid unicode: {}", *code};
    if (const auto escape = after("unknown escape character: "))
        return {"unknown escape character: {}", *escape};
    return words;
}

} // namespace rankscope::config
