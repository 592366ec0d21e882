// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace rankscope::ui {

/// English sentences in which the core reports what is wrong with a recipe or why an edit is refused, with %1, %2 …
/// where a value is written; translated in the context "core".
const std::vector<const char*>& problemTemplates();

} // namespace rankscope::ui
