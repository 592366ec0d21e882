// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs/scan/recipe_values.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope::ui {

/// Reads the settings of many runs without parsing each text as YAML, which takes a millisecond or more. In
/// effective.yaml, as Rankscope writes it, each line is a section's or a setting's, and most values occur in many runs:
/// each of those is parsed once.
class SettingsReader {
public:
    explicit SettingsReader(std::shared_ptr<StringInterner> pool) : m_pool(std::move(pool)) {}

    /// Returns the same as settingsOf(), which reads any text that has other lines.
    Result<RunSettingsPtr> read(const std::string& yaml, const std::string& fileName);
    int parsed() const { return m_parsed; } ///< texts that were not read by lines

private:
    RunSettingsPtr readLines(const std::string& yaml);
    const std::string* valueOf(std::string_view text);

    std::shared_ptr<StringInterner> m_pool;
    /// The values of settings by what follows the colon; null: not a value in one line.
    std::unordered_map<std::string, const std::string*> m_values;
    int m_parsed = 0;
};

} // namespace rankscope::ui
