// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/settings_reader.h"

#include "core/config/yaml/node_extent.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostValues = 500'000;              ///< to remember
constexpr std::size_t kMostLines = 20'000, kDeepest = 50; ///< less than settingsOf() accepts

/// A line of a section or a setting.
struct SettingLine {
    std::size_t indent = 0;
    std::string_view key, value; ///< value: with its comment; empty: there is none
};

bool isBlank(std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string_view::npos || line[first] == '#';
}

bool isKey(std::string_view key) {
    const auto isOfKey = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !key.empty() && key.size() <= config::kMaxKey && std::ranges::all_of(key, isOfKey) && key != "null" &&
           key != "Null" && key != "NULL";
}

std::optional<SettingLine> settingLine(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' '), colon = line.find(':');
    if (colon == std::string_view::npos || line.find('\t') != std::string_view::npos)
        return std::nullopt;
    SettingLine found{indent, line.substr(indent, colon - std::min(colon, indent)), line.substr(colon + 1)};
    if (!isKey(found.key) || (!found.value.empty() && found.value.front() != ' '))
        return std::nullopt;
    if (isBlank(found.value))
        found.value = {};
    found.value.remove_prefix(std::min(found.value.find_first_not_of(' '), found.value.size()));
    return found;
}

/// Returns the value of a setting if the text is that in any file: other lines neither continue nor explain it.
std::optional<std::string> completeValue(const std::string& text) {
    if (std::string_view("&*!|>%").find(text.front()) != std::string_view::npos || text.starts_with("---") ||
        text.starts_with("..."))
        return std::nullopt;
    const auto node = config::parseYaml(text);
    const bool complete =
        node && (node->isScalar() || (node->flow && (node->isMap() ? node->entries.empty()
                                                                   : text.find_first_of("&*!") == std::string::npos)));
    return complete ? std::optional(config::toText(*node)) : std::nullopt;
}

} // namespace

Result<RunSettingsPtr> SettingsReader::read(const std::string& yaml, const std::string& fileName) {
    if (auto settings = readLines(yaml))
        return settings;
    ++m_parsed;
    return settingsOf(yaml, fileName, m_pool);
}

const std::string* SettingsReader::valueOf(std::string_view text) {
    if (m_values.size() > kMostValues)
        m_values.clear();
    const auto [at, fresh] = m_values.try_emplace(std::string(text));
    if (fresh)
        if (auto value = completeValue(at->first))
            at->second = m_pool->intern(std::move(*value));
    return at->second;
}

/// Returns null if there is a line of another kind, or anything that settingsOf() might refuse.
RunSettingsPtr SettingsReader::readLines(const std::string& yaml) {
    if (yaml.find('\r') != std::string::npos || config::wrongBytes(yaml))
        return nullptr;
    struct OpenSection {
        std::size_t indent;
        std::string key;
    };
    std::vector<OpenSection> open{{0, {}}};
    std::vector<const std::string*> keys; // of settings and sections
    const std::string* waiting = nullptr; // a key without a value: of a section if deeper lines follow
    auto settings = std::make_shared<RecipeValues>();
    settings->pool = m_pool;
    const auto add = [&](const std::string* key, const std::string* value) {
        settings->entries.push_back({key, value});
    };
    const std::string* const null = m_pool->intern("null");
    for (std::string_view rest = yaml; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (isBlank(line))
            continue;
        const auto found = settingLine(line);
        if (!found || keys.size() >= kMostLines)
            return nullptr;
        if (waiting && found->indent > open.back().indent && open.size() < kDeepest)
            open.push_back({found->indent, *waiting});
        else if (waiting)
            add(waiting, null);
        waiting = nullptr;
        while (open.size() > 1 && found->indent < open.back().indent)
            open.pop_back();
        if (found->indent != open.back().indent)
            return nullptr;
        keys.push_back(m_pool->intern(config::joinKey(open.back().key, std::string(found->key))));
        const std::string* value = found->value.empty() ? nullptr : valueOf(found->value);
        if (value)
            add(keys.back(), value);
        else if (found->value.empty())
            waiting = keys.back();
        else
            return nullptr;
    }
    if (waiting)
        add(waiting, null);
    std::sort(keys.begin(), keys.end());
    if (keys.empty() || std::adjacent_find(keys.begin(), keys.end()) != keys.end())
        return nullptr;
    std::sort(settings->entries.begin(), settings->entries.end(),
              [](const auto& a, const auto& b) { return *a.key < *b.key; });
    settings->entries.shrink_to_fit();
    return settings;
}

} // namespace rankscope::ui
