// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs/scan/recipe_values.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope::ui {

/// Reads the settings of many runs without parsing each text as YAML, which takes a millisecond or more. In
/// effective.yaml, as Rankscope writes it, each line is a section's or a setting's, and most lines occur in many runs:
/// each of those is parsed once.
class SettingsReader {
public:
    explicit SettingsReader(std::shared_ptr<StringInterner> pool) : m_pool(std::move(pool)) {}
    SettingsReader(SettingsReader&&) = default; // no copies: they would point to this one's lines
    SettingsReader& operator=(SettingsReader&&) = default;
    ~SettingsReader() = default;

    /// Returns the same as settingsOf(), which reads any text that has other lines.
    Result<RunSettingsPtr> read(const std::string& yaml, const std::string& fileName);
    int parsed() const { return m_parsed; } ///< texts that were not read by lines

private:
    RunSettingsPtr readLines(const std::string& yaml);
    enum class LineKind { Blank, Section, Setting, Other };
    struct Line {
        LineKind kind = LineKind::Other;
        std::size_t indent = 0;
        const std::string* key = nullptr;   ///< "lr"
        const std::string* value = nullptr; ///< of a setting
    };
    Line lineOf(std::size_t number, std::string_view text);
    Line parseLine(std::string_view text) const;
    const std::string* keyOf(const std::string* section, const std::string* key);
    void sort(std::vector<RecipeValues::RecipeEntry>& entries);

    /// A section's key, null for the recipe itself, and a key in it.
    using KeyInSection = std::pair<const std::string*, const std::string*>;
    struct KeyHash {
        std::size_t operator()(const KeyInSection& key) const {
            return std::hash<const void*>{}(key.first) * 31 + std::hash<const void*>{}(key.second);
        }
    };
    std::shared_ptr<StringInterner> m_pool;
    using Lines = std::unordered_map<std::string, Line, TextHash, std::equal_to<>>;
    Lines m_lines;
    std::vector<const Lines::value_type*> m_before;                       ///< the lines of the text before this one
    std::unordered_map<KeyInSection, const std::string*, KeyHash> m_keys; ///< "model.optim.lr"
    std::vector<const std::string*> m_written; ///< keys of the text before this one, as they follow each other in it
    std::vector<std::size_t> m_sorted;         ///< indices in m_written, in the order of the keys
    int m_parsed = 0;
};

} // namespace rankscope::ui
