// SPDX-License-Identifier: GPL-3.0-or-later
// What tells a run from the one that it repeats: the settings that are not the same, and these in one line.
#pragma once

#include "widgets/runs/scan/recipe_values.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

struct SettingChange {
    std::string key;   ///< "model.train_ds.num_workers"
    std::string value; ///< YAML in one line; empty: the run has no such key any more
};
using RunChanges = std::vector<SettingChange>;
using RunChangesPtr = std::shared_ptr<const RunChanges>;

/// By key; the recipe's name is no change.
RunChanges changesBetween(const RunSettings& from, const RunSettings& to);
/// "num_workers 2, no faults", "lr 0.1, batch_size 8 and 3 more"; nothing changed: "no change".
QString changesText(const RunChanges& changes);

} // namespace rankscope::ui
