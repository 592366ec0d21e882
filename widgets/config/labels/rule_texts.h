// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace rankscope::ui {

/// Returns the sentences of the risk rules, with %1, %2 … in place of values; translated in the context "rules".
std::span<const char* const> ruleTexts();

} // namespace rankscope::ui
