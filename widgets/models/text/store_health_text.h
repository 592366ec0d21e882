// SPDX-License-Identifier: GPL-3.0-or-later
// Says what is wrong with a run's store, in the user's language.
#pragma once

#include "core/launch/figures/store_lag.h"
#include "core/store/open/store_health.h"

#include <QString>

namespace rankscope::ui {

/// Returns what is missing, that the rest is shown and nothing was changed, and what may help; empty: nothing is wrong.
QString storeConditionText(const store::StoreHealth& condition, const std::filesystem::path& file);

/// Returns until when the store has data, why, and that the ranks continue.
QString storeLagText(const launch::StoreLag& lag, const launch::RunInfo& info);

/// Why a run could not be brought up to date, as in "not_current" of `rankscopectl show --json`.
struct NotCurrentFacts {
    QString reason; ///< "no_space", "not_writable", "store", "busy", "other"
    QString why;
    bool inJournals = false;
    QString inTheWay; ///< files
};
/// Returns what is missing and how to get it. Empty: only the store is damaged, which is reported elsewhere.
QString notCurrentText(const NotCurrentFacts& facts);

} // namespace rankscope::ui
