// SPDX-License-Identifier: GPL-3.0-or-later
// What the core says is wrong with a recipe, in English, %1 … for what differs from one to the next: the keys of their
// translations.
#pragma once

#include <vector>

namespace rankscope::ui {

const std::vector<const char*>& problemTemplates();

} // namespace rankscope::ui
