// SPDX-License-Identifier: GPL-3.0-or-later
// A run's effective configuration as key and value, made for thousands of runs: most have the same keys and values, so
// that a text is kept once, and two values are the same text exactly when they are the same address.
#pragma once

#include "core/base/values/error.h"

#include <QString>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace rankscope::ui {

class TextPool {
public:
    const std::string* intern(std::string text); ///< any thread; stays where it is as long as the pool lives
private:
    std::mutex m_mutex;
    std::unordered_set<std::string> m_texts;
};

struct RunSettings {
    struct Entry {
        const std::string* key = nullptr;   ///< "model.encoder.n_layers"
        const std::string* value = nullptr; ///< YAML in one line; a list is one value
    };
    std::vector<Entry> entries; ///< by key
    std::shared_ptr<TextPool> pool;

    const std::string* find(std::string_view key) const; ///< null: the run has no such key
};
using RunSettingsPtr = std::shared_ptr<const RunSettings>;

/// Of effective.yaml's text.
Result<RunSettingsPtr> settingsOf(const std::string& yaml, const std::string& fileName,
                                  const std::shared_ptr<TextPool>& pool);

/// What tells a run from the one that it repeats.
struct SettingChange {
    std::string key;   ///< "model.train_ds.num_workers"
    std::string value; ///< YAML in one line; empty: the run has no such key any more
};
using RunChanges = std::vector<SettingChange>;
using RunChangesPtr = std::shared_ptr<const RunChanges>;

/// By key; the recipe's name is no change.
RunChanges changesBetween(const RunSettings& from, const RunSettings& to);
/// Puts another number of ranks first, however it came about, in place of trainer.devices, which may say it or not
/// ("-1"). With the same number only another list of GPUs is a change. 0: unknown.
void tellRanks(int from, int to, RunChanges* changes);
enum class ChangeOrder { KeyFirst, ValueFirst };
/// "num_workers 2, no faults", "lr 0.1, batch_size 8 and 3 more"; nothing changed: "no change". With the values first
/// "2 · num_workers": where there is little room, it is the key that is cut.
QString changesText(const RunChanges& changes, ChangeOrder order = ChangeOrder::KeyFirst);

} // namespace rankscope::ui
