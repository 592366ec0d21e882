// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace rankscope::ui {

/// English sentences in which the core reports what is wrong with a recipe, why an edit, a launch or a dry run is
/// refused, or which files cannot be read, with %1, %2 … where a value is written; translated in the context "core".
std::span<const char* const> problemTemplates();

} // namespace rankscope::ui
