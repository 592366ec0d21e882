// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/recipe_values.h"

#include "core/config/yaml/node.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace rankscope::ui {

const std::string* StringInterner::intern(std::string_view text) {
    const std::lock_guard lock(m_mutex);
    const auto at = m_texts.find(text);
    return at != m_texts.end() ? &*at : &*m_texts.emplace(text).first;
}

const std::string* RecipeValues::find(std::string_view key) const {
    const auto at =
        std::lower_bound(entries.begin(), entries.end(), key,
                         [](const RecipeEntry& entry, std::string_view wanted) { return *entry.key < wanted; });
    return at != entries.end() && *at->key == key ? at->value : nullptr;
}

static void collect(const config::Node& map, const std::string& section, RecipeValues& into) {
    for (const auto& entry : map.entries) {
        const std::string key = config::joinKey(section, entry.key.text);
        if (entry.value.isMap() && !entry.value.entries.empty())
            collect(entry.value, key, into);
        else if (!entry.mergeKey)
            into.entries.push_back({into.pool->intern(key), into.pool->intern(config::toText(entry.value))});
    }
}

Result<RunSettingsPtr> settingsOf(const std::string& yaml, const std::string& fileName,
                                  const std::shared_ptr<StringInterner>& pool) {
    const auto root = config::parseYaml(yaml);
    if (!root)
        return fail(Errc::Malformed, root.error().text,
                    root.error().at.line > 0 ? fileName + ":" + std::to_string(root.error().at.line) : fileName);
    auto settings = std::make_shared<RecipeValues>();
    settings->pool = pool;
    if (root->isMap())
        collect(*root, {}, *settings);
    std::sort(settings->entries.begin(), settings->entries.end(),
              [](const auto& a, const auto& b) { return *a.key < *b.key; });
    settings->entries.shrink_to_fit();
    return settings;
}

namespace {

constexpr std::size_t kMostTold = 3, kLongest = 24; ///< number of changes; characters of a value

struct RunChangeLabels {
    Q_DECLARE_TR_FUNCTIONS(RunChanges)
};

/// Returns the last part of the key, or more of it if two changes end alike.
QString shortKey(const std::string& key, const RunChanges& all) {
    const QStringList parts = QString::fromStdString(key).split(QLatin1Char('.'));
    for (qsizetype from = parts.size() - 1; from > 0; --from) {
        QString end = parts.mid(from).join(QLatin1Char('.'));
        const QString dotted = QLatin1Char('.') + end;
        const auto alike = std::count_if(all.begin(), all.end(), [&](const SettingChange& other) {
            const QString whole = QString::fromStdString(other.key);
            return whole == end || whole.endsWith(dotted);
        });
        if (alike == 1)
            return end;
    }
    return parts.join(QLatin1Char('.'));
}

QString changeText(const SettingChange& change, const RunChanges& all, ChangeOrder order) {
    const QString key = shortKey(change.key, all);
    const auto both = [&](const QString& value) {
        return order == ChangeOrder::KeyFirst ? key + QLatin1Char(' ') + value : value + QStringLiteral(" · ") + key;
    };
    QString value = QString::fromStdString(change.value);
    if (value.isEmpty() || value == QLatin1String("null") || value == QLatin1String("[]") ||
        value == QLatin1String("{}"))
        return RunChangeLabels::tr("no %1", "a setting").arg(key);
    if (value.startsWith(QLatin1Char('[')) || value.startsWith(QLatin1Char('{')))
        return value.size() <= static_cast<qsizetype>(kLongest)
                   ? both(value)
                   : RunChangeLabels::tr("different %1", "a setting").arg(key);
    if (value.size() >= 2 && value.front() == value.back() &&
        (value.front() == QLatin1Char('"') || value.front() == QLatin1Char('\'')))
        value = value.mid(1, value.size() - 2);
    if (value.contains(QLatin1Char('/')))
        value = value.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty); // of a path, only the file name
    if (value.size() > static_cast<qsizetype>(kLongest))
        value = value.left(static_cast<qsizetype>(kLongest) - 1) + QStringLiteral("…");
    return both(value);
}

} // namespace

RunChanges changesBetween(const RecipeValues& from, const RecipeValues& to) {
    RunChanges changes;
    auto a = from.entries.begin(), b = to.entries.begin();
    const auto note = [&changes](const RecipeValues::RecipeEntry& entry, const std::string* value) {
        if (*entry.key != "name")
            changes.push_back({*entry.key, value ? *value : std::string()});
    };
    while (a != from.entries.end() || b != to.entries.end()) {
        const int order = a == from.entries.end() ? 1 : b == to.entries.end() ? -1 : a->key->compare(*b->key);
        if (order == 0) {
            if (a->value != b->value && *a->value != *b->value)
                note(*b, b->value);
            ++a;
            ++b;
        } else if (order < 0) {
            note(*a++, nullptr);
        } else {
            note(*b, b->value);
            ++b;
        }
    }
    return changes;
}

void tellRanks(int from, int to, RunChanges* changes) {
    if (from <= 0 || to <= 0)
        return;
    std::erase_if(*changes, [&](const SettingChange& change) {
        return change.key == "trainer.devices" && (from != to || change.value.find(',') == std::string::npos);
    });
    if (from != to)
        changes->insert(changes->begin(), {"ranks", std::to_string(to)});
}

QString changesText(const RunChanges& changes, ChangeOrder order) {
    if (changes.empty())
        return RunChangeLabels::tr("no change");
    QStringList told;
    for (std::size_t i = 0; i < changes.size() && i < kMostTold; ++i)
        told << changeText(changes[i], changes, order);
    const QString line = told.join(QStringLiteral(", "));
    return changes.size() > kMostTold ? RunChangeLabels::tr("%1 and %2 more").arg(line).arg(changes.size() - kMostTold)
                                      : line;
}

} // namespace rankscope::ui
