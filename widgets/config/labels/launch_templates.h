// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace rankscope::ui {

/// English sentences in which the core refuses a launch or a dry run, or reports files that cannot be read, with %1, %2
/// … where a value is written; translated in the context "core".
const std::vector<const char*>& launchTemplates();

} // namespace rankscope::ui
