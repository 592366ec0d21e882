// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/explain/model/explanation.h"

#include <string>

namespace rankscope::explain {

/// Returns the explanation as the body of a page: elements without a frame, for a window that has its own style. Text
/// of the input is escaped.
std::string explanationFragment(const Explanation& explanation, Language language);

/// Returns the same as a whole page. It loads nothing, runs no script, and is light or dark like the reader's system.
std::string explanationPage(const Explanation& explanation, Language language);

} // namespace rankscope::explain
