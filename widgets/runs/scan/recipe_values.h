// SPDX-License-Identifier: GPL-3.0-or-later
// A run's effective configuration as keys and values, made for thousands of runs. Most have the same keys and values,
// so each text is stored once, and two values are equal exactly if their addresses are.
#pragma once

#include "core/base/values/error.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace rankscope::ui {

/// Finds texts in a table without making strings of them.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

class StringInterner {
public:
    const std::string* intern(std::string_view text); ///< any thread; valid as long as the pool lives
private:
    std::mutex m_mutex;
    std::unordered_set<std::string, TextHash, std::equal_to<>> m_texts;
};

struct RecipeValues {
    struct RecipeEntry {
        const std::string* key = nullptr;   ///< "model.encoder.n_layers"
        const std::string* value = nullptr; ///< YAML in one line; a list is one value
    };
    std::vector<RecipeEntry> entries; ///< by key
    std::shared_ptr<StringInterner> pool;

    const std::string* find(std::string_view key) const; ///< null: the run has no such key
};
using RunSettingsPtr = std::shared_ptr<const RecipeValues>;

/// Parses the text of effective.yaml.
Result<RunSettingsPtr> settingsOf(const std::string& yaml, const std::string& fileName,
                                  const std::shared_ptr<StringInterner>& pool);

/// One setting in which a run differs from the one that it repeats.
struct SettingChange {
    std::string key;   ///< "model.train_ds.num_workers"
    std::string value; ///< YAML in one line; empty: the run no longer has this key
};
using RunChanges = std::vector<SettingChange>;
using RunChangesPtr = std::shared_ptr<const RunChanges>;

/// Returns the changes, sorted by key; the recipe's name does not count as a change.
RunChanges changesBetween(const RecipeValues& from, const RecipeValues& to);
/// Puts a changed number of ranks first, whatever caused it, in place of trainer.devices, which may not show it
/// ("-1"). If the number is the same, only a different list of GPUs is a change. 0: unknown.
void tellRanks(int from, int to, RunChanges* changes);
enum class ChangeOrder { KeyFirst, ValueFirst };
/// Returns "num_workers 2, no faults" or "lr 0.1, batch_size 8 and 3 more"; "no change" if nothing changed. With the
/// values first, "2 · num_workers": in a narrow place it is the key that is cut.
QString changesText(const RunChanges& changes, ChangeOrder order = ChangeOrder::KeyFirst);

} // namespace rankscope::ui
