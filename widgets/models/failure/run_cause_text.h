// SPDX-License-Identifier: GPL-3.0-or-later
// Why a run ended, in the window's language. run.json keeps the supervisor's English sentence (core/launch: verdict,
// recover, collect; core/exchange: run_import).
#pragma once

#include <QString>

#include <string_view>

namespace rankscope::ui {

/// The sentence translated, with ranks, steps, signals and what a rank itself said as they are. One that is not ours
/// comes back as it is.
QString runCauseText(std::string_view cause);

} // namespace rankscope::ui
