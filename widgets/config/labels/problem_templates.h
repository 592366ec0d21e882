// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace rankscope::ui {

/// Returns the English sentences in which the core reports why it refuses a launch or a dry run, and which files it
/// cannot read. %1, %2 … are in place of values; translated in the context "core".
std::span<const char* const> problemTemplates();

} // namespace rankscope::ui
