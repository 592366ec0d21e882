// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace rankscope::ui {

/// Sentences of the risk rules, with %1, %2 … where a value stands; translated in the context "rules".
std::span<const char* const> ruleTexts();

} // namespace rankscope::ui
