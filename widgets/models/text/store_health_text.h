// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a run's store, in the user's language.
#pragma once

#include "core/launch/figures/store_lag.h"
#include "core/store/open/store_health.h"

#include <QString>

namespace rankscope::ui {

/// Empty when nothing is wrong. Says what is missing, that the rest is shown and nothing was changed, what may help.
QString storeConditionText(const store::StoreCondition& condition, const std::filesystem::path& file);

/// Why a store cannot be opened: `message` is an error's, with the file before it.
QString storeErrorText(const QString& message);

/// Until when the store goes, why, and that the ranks go on.
QString storeLagText(const launch::StoreLag& lag, const launch::RunInfo& info);

/// Why a run could not be brought up to date, as `rankscopectl show --json` says it in "not_current".
struct NotCurrentFacts {
    QString reason; ///< "no_space", "not_writable", "store", "busy", "other"
    QString why;
    bool inJournals = false;
    QString inTheWay; ///< files
};
/// What is missing, and how to get it. Empty: only the store is damaged, which is told elsewhere.
QString notCurrentText(const NotCurrentFacts& facts);

} // namespace rankscope::ui
