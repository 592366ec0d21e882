// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/reader.h"

#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace rankscope::config {

const Node* Reader::child(const std::string& name) const {
    const Node* node = present() ? m_node->child(name) : nullptr;
    return node && typeOf(*node) != Type::Null && !isMissing(*node) ? node : nullptr;
}

bool Reader::boolean(const std::string& name, bool fallback) const {
    const Node* node = child(name);
    return node ? asBool(*node).value_or(fallback) : fallback;
}

std::int64_t Reader::integer64(const std::string& name, std::int64_t fallback) const {
    const Node* node = child(name);
    return node ? asInt(*node).value_or(fallback) : fallback;
}

static int bounded(std::int64_t value) {
    return static_cast<int>(
        std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

int Reader::integer(const std::string& name, int fallback) const {
    return bounded(integer64(name, fallback));
}

double Reader::real(const std::string& name, double fallback) const {
    const Node* node = child(name);
    return node ? asDouble(*node).value_or(fallback) : fallback;
}

std::string Reader::text(const std::string& name, const std::string& fallback) const {
    const Node* node = child(name);
    return node && node->isScalar() ? node->text : fallback;
}

std::vector<int> Reader::integersOf(const Node& list) {
    std::vector<int> out;
    for (const auto& item : list.items)
        if (const auto value = asInt(item))
            out.push_back(bounded(*value));
    return out;
}

std::vector<int> Reader::integers(const std::string& name) const {
    const Node* node = child(name);
    return node ? integersOf(*node) : std::vector<int>{};
}

std::vector<double> Reader::reals(const std::string& name) const {
    std::vector<double> out;
    if (const Node* node = child(name))
        for (const auto& item : node->items)
            if (const auto value = asDouble(item))
                out.push_back(*value);
    return out;
}

std::vector<std::string> Reader::texts(const std::string& name) const {
    std::vector<std::string> out;
    const Node* node = child(name);
    if (node && node->isScalar())
        out.push_back(node->text);
    if (node)
        for (const auto& item : node->items)
            if (item.isScalar())
                out.push_back(item.text);
    return out;
}

bool Reader::isNull(const std::string& name) const {
    const Node* node = present() ? m_node->child(name) : nullptr;
    return node && typeOf(*node) == Type::Null;
}

static void collectPaths(const Node& node, std::vector<std::string>& out) {
    for (const auto& item : node.items)
        collectPaths(item, out);
    if (!node.isScalar() || isMissing(node))
        return;
    // NeMo reads "a.json,b.json" as two manifests; a comma in braces is part of a name
    std::string path;
    int depth = 0;
    for (std::size_t i = 0; i < node.text.size(); ++i) {
        const std::string_view rest = std::string_view(node.text).substr(i);
        depth += rest.starts_with('{') || rest.starts_with("_OP_");
        depth -= rest.starts_with('}') || rest.starts_with("_CL_");
        if (node.text[i] != ',' || depth > 0)
            path += node.text[i];
        else if (!path.empty())
            out.push_back(std::exchange(path, {}));
    }
    if (!path.empty())
        out.push_back(std::move(path));
}

std::vector<std::string> Reader::paths(const std::string& name) const {
    std::vector<std::string> out;
    if (const Node* node = child(name))
        collectPaths(*node, out);
    return out;
}

std::vector<std::vector<std::string>> Reader::pathLists(const std::string& name) const {
    std::vector<std::vector<std::string>> out;
    const Node* node = child(name);
    if (node && node->isList() && !node->items.empty() && node->items.front().isList()) {
        for (const auto& item : node->items)
            collectPaths(item, out.emplace_back());
    } else if (node) {
        collectPaths(*node, out.emplace_back());
    }
    return out;
}

double Reader::logGuard(const std::string& name, double fallback) const {
    const std::string word = text(name, "");
    if (word == "tiny")
        return static_cast<double>(std::numeric_limits<float>::min());
    if (word == "eps")
        return static_cast<double>(std::numeric_limits<float>::epsilon());
    return real(name, fallback);
}

} // namespace rankscope::config
