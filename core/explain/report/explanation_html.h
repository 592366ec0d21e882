// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/explain/model/explanation.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

/// Returns the explanation as the body of a page: elements without a frame, for a window that has its own style. Text
/// of the input is escaped. `settingLink`: the text of a link behind each setting, to "setting:" and its number in
/// suggestedSettings(); empty: no link.
std::string explanationFragment(const Explanation& explanation, Language language, std::string_view settingLink = {});

/// Returns the actions that are settings of the recipe, in the order of the page.
std::vector<Action> suggestedSettings(const Explanation& explanation);

/// Returns the same as a whole page. It loads nothing, runs no script, and is light or dark like the reader's system.
std::string explanationPage(const Explanation& explanation, Language language);

} // namespace rankscope::explain
