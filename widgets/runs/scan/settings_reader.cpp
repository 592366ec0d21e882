// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/settings_reader.h"

#include "core/config/yaml/node_extent.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostRemembered = 500'000;
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

SettingsReader::Line SettingsReader::parseLine(std::string_view text) const {
    if (text.find('\r') != std::string_view::npos || config::wrongBytes(std::string(text)))
        return {};
    if (isBlank(text))
        return {LineKind::Blank};
    const auto found = settingLine(text);
    if (!found)
        return {};
    const std::string* const key = m_pool->intern(found->key);
    if (found->value.empty())
        return {LineKind::Section, found->indent, key};
    const auto value = completeValue(std::string(found->value));
    return value ? Line{LineKind::Setting, found->indent, key, m_pool->intern(*value)} : Line{};
}

/// Most lines are the same as in the text before, and need not be looked up.
SettingsReader::Line SettingsReader::lineOf(std::size_t number, std::string_view text) {
    if (number < m_before.size() && m_before[number]->first == text)
        return m_before[number]->second;
    auto at = m_lines.find(text);
    if (at == m_lines.end())
        at = m_lines.emplace(text, parseLine(text)).first;
    if (number < kMostLines) {
        m_before.resize(std::max(m_before.size(), number + 1), &*at);
        m_before[number] = &*at;
    }
    return at->second;
}

const std::string* SettingsReader::keyOf(const std::string* section, const std::string* key) {
    if (m_keys.size() > kMostRemembered)
        m_keys.clear();
    const auto [at, fresh] = m_keys.try_emplace({section, key});
    if (fresh)
        at->second = m_pool->intern(config::joinKey(section ? *section : std::string(), *key));
    return at->second;
}

/// Sorts by key. Most texts have the same keys in the same order, and are sorted like the text before.
void SettingsReader::sort(std::vector<RecipeValues::RecipeEntry>& entries) {
    const auto isSame = [](const auto& entry, const std::string* key) { return entry.key == key; };
    if (!std::equal(entries.begin(), entries.end(), m_written.begin(), m_written.end(), isSame)) {
        m_written.clear();
        for (const auto& entry : entries)
            m_written.push_back(entry.key);
        m_sorted.resize(entries.size());
        std::iota(m_sorted.begin(), m_sorted.end(), std::size_t{0});
        std::sort(m_sorted.begin(), m_sorted.end(),
                  [this](std::size_t a, std::size_t b) { return *m_written[a] < *m_written[b]; });
    }
    std::vector<RecipeValues::RecipeEntry> sorted(entries.size());
    std::transform(m_sorted.begin(), m_sorted.end(), sorted.begin(), [&](std::size_t at) { return entries[at]; });
    entries = std::move(sorted);
}

/// Returns null if there is a line of another kind, or anything that settingsOf() might refuse.
RunSettingsPtr SettingsReader::readLines(const std::string& yaml) {
    struct OpenSection {
        std::size_t indent = 0;
        const std::string* key = nullptr;
    };
    std::vector<OpenSection> open(1);
    const std::string* waiting = nullptr; // a key without a value: of a section if deeper lines follow
    auto settings = std::make_shared<RecipeValues>();
    settings->pool = m_pool;
    auto& entries = settings->entries; // sections, too, at first: they have no value
    const std::string* const null = m_pool->intern("null");
    if (m_lines.size() > kMostRemembered) {
        m_before.clear();
        m_lines.clear();
    }
    std::size_t number = 0;
    for (std::string_view rest = yaml; !rest.empty();) {
        const std::string_view text = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(text.size() + 1, rest.size()));
        const Line line = lineOf(number++, text);
        if (line.kind == LineKind::Blank)
            continue;
        if (line.kind == LineKind::Other || entries.size() >= kMostLines)
            return nullptr;
        const bool deeper = waiting && line.indent > open.back().indent && open.size() < kDeepest;
        if (waiting)
            entries.push_back({waiting, deeper ? nullptr : null});
        if (deeper)
            open.push_back({line.indent, waiting});
        while (open.size() > 1 && line.indent < open.back().indent)
            open.pop_back();
        if (line.indent != open.back().indent)
            return nullptr;
        const std::string* const key = keyOf(open.back().key, line.key);
        waiting = line.kind == LineKind::Section ? key : nullptr;
        if (!waiting)
            entries.push_back({key, line.value});
    }
    if (waiting)
        entries.push_back({waiting, null});
    sort(entries);
    const auto alike = [](const auto& a, const auto& b) { return a.key == b.key; };
    if (entries.empty() || std::adjacent_find(entries.begin(), entries.end(), alike) != entries.end())
        return nullptr;
    std::erase_if(entries, [](const auto& entry) { return !entry.value; });
    entries.shrink_to_fit();
    return settings;
}

} // namespace rankscope::ui
