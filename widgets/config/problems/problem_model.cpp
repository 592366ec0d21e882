// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problems/problem_model.h"

#include "widgets/config/recipe/recipe_node.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <algorithm>

namespace rankscope::ui {

bool isManifestKey(const QString& key) {
    return key.endsWith(QLatin1String("_ds.manifest_filepath"));
}

namespace {

class ProblemRows {
public:
    ProblemRows(const config::Effective& effective, const std::vector<config::Risk>& risks,
                const QList<LaunchBlocker>& obstacles)
        : m_effective(effective), m_risks(risks), m_obstacles(obstacles) {}

    std::vector<ProblemRow> all() {
        for (const config::Problem& problem : m_effective.problems)
            add(problem);
        for (const LaunchBlocker& obstacle : m_obstacles)
            add(obstacle);
        for (const config::Risk& risk : m_risks)
            if (severityOf(risk) != MarkSeverity::Note && !isTold(risk))
                add(risk);
        std::stable_sort(m_rows.begin(), m_rows.end(),
                         [](const ProblemRow& a, const ProblemRow& b) { return a.severity > b.severity; });
        return std::move(m_rows);
    }

private:
    void add(const config::Problem& problem) {
        ProblemRow row;
        row.severity = severityOf(problem.severity);
        row.key = QString::fromStdString(problem.key);
        row.text = messageText(problem.text);
        row.line = problem.at.line;
        row.column = problem.at.column;
        row.choosesManifest = isManifestKey(row.key) && isOpen(problem.key);
        m_rows.push_back(std::move(row));
    }

    /// Adds an obstacle. Skips a lack of memory, which a risk reports with its remedy, and problems that are already
    /// reported for the text.
    void add(const LaunchBlocker& obstacle) {
        const bool told = std::any_of(m_rows.begin(), m_rows.end(), [&](const ProblemRow& row) {
            return row.severity == MarkSeverity::Error && row.key == obstacle.key;
        });
        if (obstacle.kind == QLatin1String("memory") || (told && !obstacle.key.isEmpty()))
            return;
        ProblemRow row;
        row.severity = obstacle.refused ? MarkSeverity::Error : MarkSeverity::Danger;
        row.text = messageText(obstacle.text);
        for (const config::Risk& risk : m_risks) // an obstacle that is a risk come true has the risk's remedy
            if (row.remedy.isEmpty() && tells(obstacle, risk)) {
                row.detail = detailOf(risk);
                row.remedy = remedyOf(risk);
            }
        placeAt(row, obstacle.key);
        row.choosesManifest = obstacle.refused && isManifestKey(obstacle.key);
        m_rows.push_back(std::move(row));
    }

    void add(const config::Risk& risk) {
        ProblemRow row;
        row.severity = severityOf(risk);
        row.text = messageText(risk.reason);
        row.detail = detailOf(risk);
        row.remedy = remedyOf(risk);
        placeAt(row, QString::fromStdString(risk.key));
        m_rows.push_back(std::move(row));
    }

    /// Puts the key's name before the text ("batch_size: a rank needs …") and sets its place if the file has the key.
    void placeAt(ProblemRow& row, const QString& key) const {
        row.key = key;
        if (!key.isEmpty())
            row.text = placedText(key.section(QLatin1Char('.'), -1), row.text);
        const config::KeyRow* found = m_effective.find(key.toStdString());
        if (found && found->origin == config::Origin::Yours) {
            row.line = found->at.line;
            row.column = found->at.column;
        }
    }

    bool isOpen(const std::string& key) const {
        const config::KeyRow* row = m_effective.find(key);
        return !row || !row->effective;
    }

    static QString detailOf(const config::Risk& risk) {
        QStringList why;
        for (const Message* text : {&risk.rule->explanation, &risk.rule->remedy})
            if (!text->empty())
                why << messageText(*text);
        return why.join(QLatin1Char('\n'));
    }

    /// Returns whether the obstacle reports the problem that this risk warns about.
    static bool tells(const LaunchBlocker& one, const config::Risk& risk) {
        const config::Problem refusal{.key = one.key.toStdString(), .text = one.text};
        return one.kind == QLatin1String("data") && isSameMatter(refusal, risk);
    }

    bool isTold(const config::Risk& risk) const {
        return std::any_of(m_obstacles.begin(), m_obstacles.end(),
                           [&](const LaunchBlocker& one) { return tells(one, risk); });
    }

    const config::Effective& m_effective;
    const std::vector<config::Risk>& m_risks;
    const QList<LaunchBlocker>& m_obstacles;
    std::vector<ProblemRow> m_rows;
};

} // namespace

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ProblemRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return row.line > 0 ? tr("line %1: %2").arg(row.line).arg(row.text) : row.text;
    case Qt::AccessibleTextRole:
        return tr("%1: %2", "severity, sentence").arg(severityWord(row.severity), row.text);
    case Qt::ToolTipRole: {
        QStringList lines{tr("%1: %2", "severity, sentence").arg(severityWord(row.severity), row.text)};
        for (const QString& more : {row.key, row.detail})
            if (!more.isEmpty())
                lines << more;
        return plainToolTip(lines.join(QLatin1Char('\n')));
    }
    case Qt::DecorationRole:
        return markPixmap(row.severity);
    case KeyRole:
        return row.key;
    case LineRole:
        return row.line;
    case ColumnRole:
        return row.column;
    case RemedyRole:
        return QVariant::fromValue(row.remedy);
    case ActionRole:
        return row.choosesManifest    ? tr("Choose manifest…")
               : row.remedy.isEmpty() ? QString()
                                      : remedyLabel(row.remedy);
    case ManifestRole:
        return row.choosesManifest;
    default:
        return {};
    }
}

void ProblemModel::show(const Evaluation& evaluation, const std::vector<config::Risk>& risks,
                        const QList<LaunchBlocker>& obstacles) {
    m_evaluation = evaluation;
    m_risks = risks;
    m_obstacles = obstacles;
    take(evaluation ? ProblemRows(*evaluation, m_risks, m_obstacles).all() : std::vector<ProblemRow>());
}

void ProblemModel::retranslate() {
    take(m_evaluation ? ProblemRows(*m_evaluation, m_risks, m_obstacles).all() : std::vector<ProblemRow>());
    if (!m_rows.empty())
        emit dataChanged(index(0), index(rowCount() - 1));
}

void ProblemModel::take(std::vector<ProblemRow> rows) {
    const auto counts = [this] {
        return std::array{count(MarkSeverity::Error), count(MarkSeverity::Danger), count(MarkSeverity::Caution),
                          count(MarkSeverity::Note)};
    };
    const auto before = counts();
    const int have = rowCount(), want = static_cast<int>(rows.size());
    for (int i = 0; i < std::min(have, want); ++i) {
        const auto slot = static_cast<std::size_t>(i);
        if (m_rows[slot] == rows[slot])
            continue;
        m_rows[slot] = std::move(rows[slot]);
        emit dataChanged(index(i), index(i));
    }
    if (want < have) {
        beginRemoveRows({}, want, have - 1);
        m_rows.resize(rows.size());
        endRemoveRows();
    } else if (want > have) {
        beginInsertRows({}, have, want - 1);
        std::move(rows.begin() + have, rows.end(), std::back_inserter(m_rows));
        endInsertRows();
    }
    if (counts() != before)
        emit countsChanged();
}

int ProblemModel::count(MarkSeverity severity) const {
    return static_cast<int>(
        std::count_if(m_rows.begin(), m_rows.end(), [&](const ProblemRow& row) { return row.severity == severity; }));
}

} // namespace rankscope::ui
