// SPDX-License-Identifier: GPL-3.0-or-later
// Says why a run ended, in the window's language. run.json keeps the supervisor's English sentence (core/launch:
// verdict, recover, collect; core/exchange: run_import).
#pragma once

#include <QString>

#include <string_view>

namespace rankscope::ui {

/// Returns the sentence translated, with ranks, steps, signals and a rank's own words unchanged. A sentence that
/// Rankscope did not write is returned unchanged.
QString runCauseText(std::string_view cause);

} // namespace rankscope::ui
