// SPDX-License-Identifier: GPL-3.0-or-later
// What the core says is wrong with a recipe, in English, %1 … for what differs from one to the next: the keys of their
// translations.
#pragma once

#include <vector>

namespace rankscope::ui {

const std::vector<const char*>& problemTemplates(); ///< what is wrong with a recipe, or refused in an edit
const std::vector<const char*>& launchTemplates();  ///< why a launch or dry run is refused, and files cannot be read

} // namespace rankscope::ui
