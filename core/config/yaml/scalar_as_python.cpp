// SPDX-License-Identifier: Apache-2.0
// What an interpolation inside of a text turns into: str() and repr() of Python.
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

namespace rankscope::config {

/// As repr() in Python.
static std::string pythonText(const std::string& s) {
    const char quote = s.find('\'') != std::string::npos && s.find('"') == std::string::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : s) {
        if (c == quote || c == '\\')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else
            out += c;
    }
    return out + quote;
}

static std::string pythonItem(const Node& node) {
    return typeOf(node) == Type::String ? pythonText(node.text) : toPython(node);
}

std::string toPython(const Node& node) {
    std::vector<std::string> parts;
    switch (typeOf(node)) {
    case Type::Null:
        return "None";
    case Type::Bool:
        return *asBool(node) ? "True" : "False";
    case Type::Int: {
        const auto i = asInt(node);
        return i ? std::to_string(*i) : node.text;
    }
    case Type::Float: {
        const std::string s = fmt::format("{}", *asDouble(node));
        return s.find_first_not_of("-0123456789") == std::string::npos ? s + ".0" : s;
    }
    case Type::String:
        return node.text;
    case Type::List:
        for (const auto& item : node.items)
            parts.push_back(pythonItem(item));
        return fmt::format("[{}]", fmt::join(parts, ", "));
    case Type::Map:
        for (const auto& e : node.entries)
            if (!e.mergeKey)
                parts.push_back(pythonText(e.key.text) + ": " + pythonItem(e.value));
        return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
    return node.text;
}

} // namespace rankscope::config
