// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/problems/problem_model.h"
#include "widgets/config/text/yaml_editor.h"

namespace rankscope::ui {

/// Returns the marks at the lines of the listed problems, most severe first; an error is also marked at the other keys
/// it names. `refusals`: errors that only the dry run finds.
std::vector<YamlEditor::LineMark> lineMarks(const std::vector<ProblemRow>& rows, const Evaluation& evaluation,
                                            const std::vector<config::Problem>& refusals);

} // namespace rankscope::ui
