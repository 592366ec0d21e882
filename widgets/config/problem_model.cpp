// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problem_model.h"

#include "widgets/config/decisive.h"
#include "widgets/config/marks.h"
#include "widgets/models/tool_tip.h"

#include <algorithm>

namespace rankscope::ui {

using Severity = config::Problem::Severity;

static bool sameProblem(const config::Problem& a, const config::Problem& b) {
    return a.severity == b.severity && a.key == b.key && a.at.line == b.at.line && a.at.column == b.at.column &&
           a.text == b.text;
}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_problems.size());
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const config::Problem& problem = m_problems[static_cast<std::size_t>(index.row())];
    const QString sentence = coreText(problem.text);
    switch (role) {
    case Qt::DisplayRole:
        return problem.at.line > 0 ? tr("line %1: %2").arg(problem.at.line).arg(sentence) : sentence;
    case Qt::ToolTipRole:
        return plainToolTip(problem.key.empty() ? sentence
                                                : QString::fromStdString(problem.key) + QLatin1Char('\n') + sentence);
    case Qt::DecorationRole:
        return markPixmap(markOf(problem.severity));
    case SeverityRole:
        return static_cast<int>(problem.severity);
    case KeyRole:
        return QString::fromStdString(problem.key);
    case LineRole:
        return problem.at.line;
    case TextRole:
        return sentence;
    default:
        return {};
    }
}

void ProblemModel::setProblems(const std::vector<config::Problem>& problems) {
    const int have = static_cast<int>(m_problems.size()), want = static_cast<int>(problems.size());
    for (int i = 0; i < std::min(have, want); ++i) {
        const auto slot = static_cast<std::size_t>(i);
        if (sameProblem(m_problems[slot], problems[slot]))
            continue;
        m_problems[slot] = problems[slot];
        emit dataChanged(index(i), index(i));
    }
    if (want < have) {
        beginRemoveRows({}, want, have - 1);
        m_problems.resize(problems.size());
        endRemoveRows();
    } else if (want > have) {
        beginInsertRows({}, have, want - 1);
        m_problems.insert(m_problems.end(), problems.begin() + have, problems.end());
        endInsertRows();
    }
}

int ProblemModel::errorCount() const {
    return static_cast<int>(std::count_if(m_problems.begin(), m_problems.end(), [](const config::Problem& problem) {
        return problem.severity == Severity::Error;
    }));
}

} // namespace rankscope::ui
