// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/explain/model/explanation.h"

#include <string>

namespace rankscope::explain {

/// Returns the explanation as text of one screen, whose lines are at most `columns` wide (60 to 160) where their words
/// allow it: a table with a row per rank, the collective by name, the causes with their evidence, and what to do. With
/// many ranks, causes or collectives the ones that matter most are shown; JSON has all.
std::string explanationText(const Explanation& explanation, Language language, int columns = 100);

} // namespace rankscope::explain
