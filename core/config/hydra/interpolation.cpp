// SPDX-License-Identifier: Apache-2.0
#include "core/config/hydra/interpolation.h"

#include "core/base/text/unit_format.h"
#include "core/config/hydra/override.h"
#include "core/config/yaml/node_extent.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <unordered_map>

namespace rankscope::config {
namespace {

constexpr int kMaxSteps = 100'000;
constexpr std::size_t kMaxText = 1u << 20;
constexpr int kMostNearest = 20;

struct Unresolvable {
    Message why;
};

/// Returns the index of the '}' that closes the "${" before `at`; npos if there is none. Quotes only count inside a
/// resolver's arguments.
std::size_t closingBrace(const std::string& s, std::size_t at) {
    int depth = 1;
    char quote = 0;
    for (std::size_t i = at; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '\\') {
            ++i;
        } else if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '{') {
            ++depth;
        } else if (c == '}' && --depth == 0) {
            return i;
        }
    }
    return std::string::npos;
}

/// Returns the number of backslashes from `i` on that directly precede a "${": two make one, and an odd one escapes it.
std::size_t slashesBefore(const std::string& s, std::size_t i) {
    const std::size_t end = s.find_first_not_of('\\', i);
    return s[i] == '\\' && end != std::string::npos && s.compare(end, 2, "${") == 0 ? end - i : 0;
}

std::string trimmed(const std::string& s) {
    const auto first = s.find_first_not_of(" \t");
    return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

/// Splits "a, [b, c], 'd,e'" at its top-level commas.
std::vector<std::string> splitArguments(const std::string& s) {
    std::vector<std::string> out(1);
    int depth = 0;
    char quote = 0;
    for (const char c : s) {
        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']')
            --depth;
        if (c == ',' && depth == 0 && !quote)
            out.emplace_back();
        else
            out.back() += c;
    }
    for (auto& part : out)
        part = trimmed(part);
    return out;
}

/// Returns the colon's position if there is a resolver, as in "oc.env:HOME"; "a.b" and ".x" have none.
std::size_t resolverColon(const std::string& inner) {
    const auto colon = inner.find(':');
    if (colon == std::string::npos || colon == 0)
        return std::string::npos;
    const bool name = std::all_of(inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
        return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    return name ? colon : std::string::npos;
}

std::string now(const std::string& format) {
    const std::time_t t = std::time(nullptr);
    std::tm local{};
    char buffer[128];
    localtime_r(&t, &local);
    return {buffer, std::strftime(buffer, sizeof buffer, format.empty() ? "%Y-%m-%d" : format.c_str(), &local)};
}

class Resolver {
public:
    Resolver(const Node& root, const std::vector<std::string>& skip, std::vector<Problem>& problems)
        : m_root(root), m_skip(skip), m_problems(problems) {}

    /// Resolves the whole tree; each scalar that fails is reported once, at its own position.
    Node whole() {
        Node out = m_root;
        Path path;
        replace(out, m_root, path);
        return out;
    }

private:
    static Path child(Path path, const std::string& name) {
        path.push_back(name);
        return path;
    }

    /// Replaces the interpolations in `out`, a copy of the `node` at `path`.
    void replace(Node& out, const Node& node, Path& path) {
        if (hasInterpolation(node)) {
            out = leaf(node, path);
            return;
        }
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            path.push_back(std::to_string(i));
            replace(out.items[i], node.items[i], path);
            path.pop_back();
        }
        for (std::size_t i = 0; i < node.entries.size(); ++i) {
            const std::string& name = node.entries[i].key.text;
            const bool skipped = path.empty() && std::find(m_skip.begin(), m_skip.end(), name) != m_skip.end();
            if (skipped || node.entries[i].mergeKey)
                continue;
            path.push_back(name);
            replace(out.entries[i].value, node.entries[i].value, path);
            path.pop_back();
        }
    }

    /// Finds a child; maps with many keys are hashed once.
    const Node* childOf(const Node& node, const std::string& name) {
        if (!node.isMap() || node.entries.size() < 16)
            return node.child(name);
        return m_indices.try_emplace(&node, &node).first->second.find(name);
    }

    Node leaf(const Node& node, const Path& path) {
        m_active.clear();
        m_steps = 0;
        try {
            Node out = resolve(node, path);
            out.at = node.at;
            out.offset = node.offset;
            out.origin = node.origin;
            return out;
        } catch (const Unresolvable& u) {
            m_problems.push_back({Problem::Severity::Error, joinKey(path), node.at, u.why});
        }
        Node out = node;
        out.unresolved = true;
        return out;
    }

    /// Resolves a node without reporting: throws Unresolvable.
    Node resolve(const Node& node, const Path& path) {
        const std::string key = joinKey(path);
        if (std::find(m_active.begin(), m_active.end(), key) != m_active.end())
            throw Unresolvable{
                {"the interpolation is circular: {} -> {}", fmt::format("{}", fmt::join(m_active, " -> ")), key}};
        if (++m_steps > kMaxSteps || m_active.size() > 200)
            throw Unresolvable{"the interpolation is nested too deeply"};
        m_active.push_back(key);
        Node out = node;
        if (hasInterpolation(node))
            out = evaluateText(node, path);
        for (std::size_t i = 0; i < node.items.size(); ++i)
            out.items[i] = resolve(node.items[i], child(path, std::to_string(i)));
        for (std::size_t i = 0; i < node.entries.size(); ++i)
            if (!node.entries[i].mergeKey)
                out.entries[i].value = resolve(node.entries[i].value, child(path, node.entries[i].key.text));
        m_active.pop_back();
        return out;
    }

    /// Evaluates a scalar: a single whole interpolation keeps the target's type, anything else becomes a string.
    Node evaluateText(const Node& node, const Path& path) {
        const std::string& s = node.text;
        std::string out;
        for (std::size_t i = 0; i < s.size();) {
            if (const std::size_t slashes = slashesBefore(s, i); slashes > 0) {
                out.append(slashes / 2, '\\');
                i += slashes;
                if (slashes % 2 == 1) {
                    out += "${";
                    i += 2;
                }
                continue;
            }
            if (s.compare(i, 2, "${") != 0) {
                out += s[i++];
                continue;
            }
            const auto end = closingBrace(s, i + 2);
            if (end == std::string::npos)
                throw Unresolvable{{"the interpolation \"{}\" is not closed: a }} is missing", s.substr(i)}};
            Node value = evaluateInner(s.substr(i + 2, end - i - 2), path);
            if ((i == 0 && end + 1 == s.size()) || isMissing(value))
                return value;
            out += toPython(value);
            if (out.size() > kMaxText)
                throw Unresolvable{"the interpolation grows beyond 1 MiB"};
            i = end + 1;
        }
        return Node::string(out);
    }

    /// Evaluates the text between the braces.
    Node evaluateInner(const std::string& written, const Path& path) {
        const auto colon = resolverColon(written);
        if (colon != std::string::npos)
            return callResolver(written.substr(0, colon), written.substr(colon + 1), path);
        return select(trimmed(expandKey(written, path)), path, written);
    }

    /// Expands interpolations inside a key. They must resolve to strings: OmegaConf does not accept a number there.
    std::string expandKey(const std::string& text, const Path& path) {
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            if (text.compare(i, 2, "${") != 0) {
                out += text[i++];
                continue;
            }
            const auto end = closingBrace(text, i + 2);
            const Node part = end == std::string::npos ? Node() : evaluateInner(text.substr(i + 2, end - i - 2), path);
            if (typeOf(part) != Type::String || isMissing(part))
                throw Unresolvable{{"cannot resolve ${{{}}}: a part of a key must be a string, not {}",
                                    text, end == std::string::npos ? "unclosed" : toText(part)}};
            out += part.text;
            i = end + 1;
        }
        return out;
    }

    std::string expand(const std::string& text, const Path& path) {
        if (text.find("${") == std::string::npos)
            return text;
        return toPython(evaluateText(Node::plain(text), path));
    }

    Path target(const std::string& key, const Path& from) {
        const auto dots = std::min(key.find_first_not_of('.'), key.size());
        Path path;
        if (dots > 0) {
            if (dots > from.size())
                throw Unresolvable{{"cannot resolve ${{{}}}: more dots than levels", key}};
            path.assign(from.begin(), from.end() - static_cast<std::ptrdiff_t>(dots));
        }
        for (auto& part : splitKey(key.substr(dots)))
            path.push_back(std::move(part));
        return path;
    }

    std::optional<Node> trySelect(const std::string& key, const Path& from) {
        const Path path = target(key, from);
        Node held;
        const Node* node = &m_root;
        Path walked;
        for (const auto& part : path) {
            if (hasInterpolation(*node)) { // a section that is itself an interpolation
                held = resolve(*node, walked);
                node = &held;
            }
            const Node* next = node == &held ? node->child(part) : childOf(*node, part);
            if (!next)
                return std::nullopt;
            if (node == &held) {
                Node keep = *next;
                held = std::move(keep);
                node = &held;
            } else {
                node = next;
            }
            walked.push_back(part);
        }
        return node == &held ? held : resolve(*node, path);
    }

    Node select(const std::string& key, const Path& from, const std::string& written) {
        if (key.empty())
            throw Unresolvable{"${} names no key"};
        if (auto node = trySelect(key, from))
            return *node;
        const std::string wanted = joinKey(target(key, from));
        if (m_keys.empty())
            m_keys = allKeys(m_root);
        // suggestions for the first ones are enough: thousands of them in a file have one cause
        throw Unresolvable{suggesting({"cannot resolve ${{{}}}: there is no key {}", written, wanted},
                                      ++m_unknown > kMostNearest ? "" : nearestWord(wanted, m_keys))};
    }

    /// Evaluates an argument: a quoted word, an interpolation, or YAML.
    Node argument(const std::string& text, const Path& path) {
        if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
            return Node::string(expand(text.substr(1, text.size() - 2), path));
        const auto value = parseOverrideValue(text); // the same grammar
        if (!value)
            throw Unresolvable{{"cannot read the argument {}: {}", text, value.error()}};
        return expanded(*value, path);
    }

    Node expanded(Node node, const Path& path) {
        for (auto& item : node.items)
            item = expanded(item, path);
        for (auto& e : node.entries)
            e.value = expanded(e.value, path);
        return hasInterpolation(node) ? evaluateText(node, path) : node;
    }

    Node callResolver(const std::string& name, const std::string& written, const Path& path) {
        if (name == "now")
            return Node::string(now(trimmed(written)));
        std::vector<Node> arguments;
        for (const auto& text : splitArguments(written))
            arguments.push_back(argument(text, path));
        if (name == "oc.env")
            return environment(arguments);
        if (name == "oc.decode" && arguments.size() == 1)
            return decode(arguments[0], path);
        if (name == "oc.select" && (arguments.size() == 1 || arguments.size() == 2)) {
            if (auto node = trySelect(toPython(arguments[0]), path))
                return *node;
            return arguments.size() == 2 ? arguments[1] : Node::plain("null");
        }
        if (name == "multiply" && arguments.size() == 2)
            return multiply(arguments[0], arguments[1]);
        throw Unresolvable{{"cannot resolve ${{{}:{}}}: {}", name, written,
                            name == "oc.decode" || name == "oc.select" || name == "multiply"
                                ? Message("wrong number of arguments")
                                : Message("this resolver is unknown")}};
    }

    static Node environment(const std::vector<Node>& arguments) {
        const std::string variable = toPython(arguments[0]);
        if (const char* value = std::getenv(variable.c_str())) {
            if (const auto wrong = wrongBytes(value))
                throw Unresolvable{{"{} in the environment: {}", variable, wrong->text}};
            return Node::string(value);
        }
        if (arguments.size() < 2)
            throw Unresolvable{
                {"the environment has no {0}; set it, or give a default: ${{oc.env:{0},VALUE}}", variable}};
        return typeOf(arguments[1]) == Type::Null ? Node::plain("null") : Node::string(toPython(arguments[1]));
    }

    Node decode(const Node& argument, const Path& path) {
        if (typeOf(argument) == Type::Null)
            return argument;
        const auto parsed = parseOverrideValue(argument.text);
        if (!parsed)
            throw Unresolvable{{"oc.decode cannot read \"{}\": {}", argument.text, parsed.error()}};
        return expanded(*parsed, path);
    }

    static Node multiply(const Node& a, const Node& b) {
        const auto x = asDouble(a), y = asDouble(b);
        if (!x || !y)
            throw Unresolvable{"multiply takes two numbers"};
        const auto i = asInt(a), j = asInt(b);
        std::int64_t product = 0;
        if (i && j && !__builtin_mul_overflow(*i, *j, &product))
            return Node::plain(std::to_string(product));
        const std::string text = fmt::format("{}", *x * *y);
        return Node::plain(text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text);
    }

    const Node& m_root;
    const std::vector<std::string>& m_skip;
    std::vector<Problem>& m_problems;
    std::vector<std::string> m_active, m_keys;
    std::unordered_map<const Node*, ChildIndex> m_indices;
    int m_unknown = 0;
    int m_steps = 0;
};

} // namespace

Node resolveAll(const Node& root, const std::vector<std::string>& skip, std::vector<Problem>& problems) {
    return Resolver(root, skip, problems).whole();
}

} // namespace rankscope::config
