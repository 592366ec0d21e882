// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/recipe_values.h"

#include "core/config/yaml/node.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>

namespace rankscope::ui {

const std::string* TextPool::intern(std::string text) {
    const std::lock_guard lock(m_mutex);
    return &*m_texts.insert(std::move(text)).first;
}

const std::string* RunSettings::find(std::string_view key) const {
    const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                     [](const Entry& entry, std::string_view wanted) { return *entry.key < wanted; });
    return at != entries.end() && *at->key == key ? at->value : nullptr;
}

static void collect(const config::Node& map, const std::string& section, RunSettings& into) {
    for (const auto& entry : map.entries) {
        const std::string key = config::joinKey(section, entry.key.text);
        if (entry.value.isMap() && !entry.value.entries.empty())
            collect(entry.value, key, into);
        else if (!entry.mergeKey)
            into.entries.push_back({into.pool->intern(key), into.pool->intern(config::toText(entry.value))});
    }
}

Result<RunSettingsPtr> settingsOf(const std::string& yaml, const std::string& fileName,
                                  const std::shared_ptr<TextPool>& pool) {
    const auto root = config::parseYaml(yaml);
    if (!root)
        return fail(Errc::Malformed, root.error().text,
                    root.error().at.line > 0 ? fileName + ":" + std::to_string(root.error().at.line) : fileName);
    auto settings = std::make_shared<RunSettings>();
    settings->pool = pool;
    if (root->isMap())
        collect(*root, {}, *settings);
    std::sort(settings->entries.begin(), settings->entries.end(),
              [](const auto& a, const auto& b) { return *a.key < *b.key; });
    settings->entries.shrink_to_fit();
    return settings;
}

} // namespace rankscope::ui
