// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problems/line_marks.h"

#include "widgets/config/recipe/recipe_node.h"
#include "widgets/models/text/text_format.h"

#include <algorithm>
#include <iterator>

namespace rankscope::ui {

std::vector<YamlEditor::LineMark> lineMarks(const std::vector<ProblemRow>& rows, const Evaluation& evaluation,
                                            const std::vector<config::Problem>& refusals) {
    std::vector<YamlEditor::LineMark> marks;
    for (const ProblemRow& row : rows)
        if (row.line > 0 && row.severity != MarkSeverity::Note)
            marks.push_back({row.line, row.severity, row.text});
    if (evaluation) {
        std::vector<config::Problem> errors = refusals;
        std::copy_if(
            evaluation->problems.begin(), evaluation->problems.end(), std::back_inserter(errors),
            [](const config::Problem& problem) { return problem.severity == config::Problem::Severity::Error; });
        for (const config::Problem& error : errors)
            for (const std::string& key : relatedKeys(*evaluation, error))
                if (const config::KeyRow* row = evaluation->find(key); row->at.line > 0)
                    marks.push_back({row->at.line, MarkSeverity::Error, messageText(error.text)});
    }
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.severity > b.severity; });
    return marks;
}

} // namespace rankscope::ui
